"""Every page prefix on one screen. Pages carry their language in the address; machines' addresses carry none."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

from config import health, offline, pages
from config.sign_in import AdminSignInForm, SignInForm

SIGN_IN = {"template_name": "login.html", "redirect_authenticated_user": True, "authentication_form": SignInForm}
admin.site.login_form = AdminSignInForm
admin.site.site_header = admin.site.site_title = "Cardwise"

urlpatterns = [
    path("", pages.front_door, name="front-door"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("robots.txt", pages.robots, name="robots"),
    path("sitemap.xml", pages.sitemap, name="sitemap"),
    path("worker.js", offline.worker, name="worker"),
    path("theme", pages.set_theme, name="theme"),
    path("api/v1/", include("config.api_urls")),
    *i18n_patterns(
        path("admin/", admin.site.urls),
        path("login/", LoginView.as_view(**SIGN_IN), name="login"),
        path("logout/", LogoutView.as_view(), name="logout"),
        path("offline/", offline.offline, name="offline"),
        path("gallery/", pages.gallery, name="gallery"),
        path("cards/", include("catalog.urls")),
        path("", include("billing.urls")),
        path("", include("advisor.urls")),
        prefix_default_language=True,
    ),
]

handler400 = "config.pages.bad_request"
handler403 = "config.pages.forbidden"
handler404 = "config.pages.not_found"
handler500 = "config.pages.server_error"
