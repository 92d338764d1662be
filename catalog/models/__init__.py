"""The catalogue's nouns, one file each."""

from catalog.models.catalogue_version import CatalogueChange, CatalogueVersion
from catalog.models.gpu import Gpu
from catalog.models.image import Image
from catalog.models.plan import Plan
from catalog.models.price import Price
from catalog.models.recorded import Recording, recorded
from catalog.models.region import Region
from catalog.models.sku import Sku, SkuImage

__all__ = [
    "CatalogueChange",
    "CatalogueVersion",
    "Gpu",
    "Image",
    "Plan",
    "Price",
    "Recording",
    "Region",
    "Sku",
    "SkuImage",
    "recorded",
]
