// Keeps what was read for when there is no connection. Everything comes from the network first, always.
// `self.kept`: what to keep from the start, and its version; written by the server in front of this file.
"use strict";
const { version, pages, files } = self.kept;
const SHELL = `shell-${version}`, READ = "read-1", MOST_READ = 40;
const WORTH_KEEPING = /^\/[^/]+\/($|(advise\/result|guide|cards)\/)/;
// A page that is somebody's own says `no-store` and is not kept.
const open = (response) => response.ok && !/no-store/.test(response.headers.get("Cache-Control") ?? "");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll([...files, ...Object.values(pages)])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== SHELL && name !== READ).map((name) => caches.delete(name))))
    .then(() => self.clients.claim())
    .then(() => self.clients.matchAll({ type: "window" }))
    .then((windows) => Promise.all(windows.map(({ url }) => keepOpen(url)))));
});

// The page whose visit brought the worker was read before there was one.
const keepOpen = async (url) => {
  if (!WORTH_KEEPING.test(new URL(url).pathname)) return;
  const response = await fetch(url);
  if (open(response)) await keep(url, response);
};

const keep = async (request, response) => {
  const cache = await caches.open(READ);
  await cache.put(request, response);
  const kept = await cache.keys();
  await Promise.all(kept.slice(0, Math.max(0, kept.length - MOST_READ)).map((old) => cache.delete(old)));
};

const page = async (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  try {
    const response = await fetch(request);
    if (open(response) && WORTH_KEEPING.test(pathname)) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const language = pathname.split("/")[1];
    return (await caches.match(request, { cacheName: READ, ignoreVary: true })) ?? (await caches.match(pages[language] ?? Object.values(pages)[0])) ?? Promise.reject(error);
  }
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (files.includes(new URL(request.url).pathname)) event.respondWith(fetch(request).catch(async (error) => (await caches.match(request)) ?? Promise.reject(error)));
});
