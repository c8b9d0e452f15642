"""Types of fal.toolkit as models of pydantic 2."""

import base64
import mimetypes
import os
import pathlib
import tempfile
import uuid
from typing import ClassVar, List, Literal, Optional, Set, Union
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, model_validator

from fal.toolkit._downloads import download_file

__all__ = ["Field"]


class FalBaseModel(BaseModel):
    SCHEMA_IGNORES: ClassVar[Set[str]] = set()
    FIELD_ORDERS: ClassVar[List[str]] = []


def Hidden(field):
    """Returns the field unchanged: there is no form to hide it in."""
    return field


FileField = ImageField = AudioField = VideoField = Field


class File(BaseModel):
    """File by its URL, which may be a data URI. Validates a plain string as the URL."""

    url: str
    content_type: Optional[str] = None
    file_name: Optional[str] = None
    file_size: Optional[int] = None
    file_data: Optional[bytes] = Field(None, exclude=True, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value):
        if not isinstance(value, str):
            return value
        if urlsplit(value).scheme not in ("http", "https", "data"):
            raise ValueError("value must be a valid URL")
        return {"url": value}

    @classmethod
    def from_bytes(
        cls, data, content_type=None, file_name=None, repository="fal_v3", **_
    ):
        """Makes a file whose URL holds the data. Raises an error for another repository."""
        _check_repository(cls, repository)
        if content_type is None:
            guess = mimetypes.guess_type(file_name)[0] if file_name else None
            content_type = guess or "application/octet-stream"
        extension = mimetypes.guess_extension(content_type) or ".bin"
        encoded = base64.b64encode(data).decode()
        return cls(
            url="data:%s;base64,%s" % (content_type, encoded),
            content_type=content_type,
            file_name=file_name or uuid.uuid4().hex + extension,
            file_size=len(data),
            file_data=data,
        )

    @classmethod
    def from_path(cls, path, content_type=None, repository="fal_v3", **_):
        _check_repository(cls, repository)
        file = pathlib.Path(path)
        content_type = content_type or mimetypes.guess_type(file.name)[0]
        return File.from_bytes.__func__(
            cls, file.read_bytes(), content_type, file.name, repository="in_memory"
        )

    def as_bytes(self):
        if self.file_data is None:
            raise ValueError("File has not been downloaded")
        return self.file_data

    def save(self, path, overwrite=False):
        """Downloads the file to a path, and returns it."""
        target = pathlib.Path(path).resolve()
        if target.exists() and not overwrite:
            raise FileExistsError("File %s already exists" % target)
        with tempfile.TemporaryDirectory(dir=str(target.parent)) as folder:
            os.replace(download_file(self.url, folder), target)
        return target


class CompressedFile(File):
    pass


class Audio(File):
    pass


class Video(File):
    pass


class ImageSize(BaseModel):
    width: int = Field(default=512, gt=0, le=14142)
    height: int = Field(default=512, gt=0, le=14142)


_PRESETS = {
    "square_hd": (1024, 1024),
    "square": (512, 512),
    "portrait_4_3": (768, 1024),
    "portrait_16_9": (576, 1024),
    "landscape_4_3": (1024, 768),
    "landscape_16_9": (1024, 576),
}
ImageSizePreset = Literal[
    "square_hd", "square", "portrait_4_3", "portrait_16_9", "landscape_4_3", "landscape_16_9"
]
ImageSizeInput = Union[ImageSize, ImageSizePreset]


def get_image_size(source):
    """Returns the size that an ImageSizeInput means."""
    if isinstance(source, ImageSize):
        return source
    if source not in _PRESETS:
        raise TypeError("Invalid value for ImageSize: %s" % (source,))
    width, height = _PRESETS[source]
    return ImageSize(width=width, height=height)


class Image(File):
    width: Optional[int] = None
    height: Optional[int] = None

    @classmethod
    def from_bytes(cls, data, format, size=None, file_name=None, repository="fal_v3", **_):
        image = super().from_bytes(data, "image/%s" % format, file_name, repository)
        if size is not None:
            image.width, image.height = size.width, size.height
        return image

    @classmethod
    def from_pil(cls, pil_image, format=None, file_name=None, repository="fal_v3", **_):
        import io

        _check_repository(cls, repository)
        format = format or pil_image.format or "png"
        buffer = io.BytesIO()
        pil_image.save(buffer, format=format)
        size = ImageSize(width=pil_image.width, height=pil_image.height)
        return cls.from_bytes(buffer.getvalue(), format, size, file_name, repository)

    def to_pil(self, mode="RGB"):
        from PIL import Image as PilImage

        with tempfile.TemporaryDirectory() as folder:
            return PilImage.open(download_file(self.url, folder)).convert(mode)


def _check_repository(cls, repository):
    if repository != "in_memory":
        raise NotImplementedError(
            "fal.toolkit.%s cannot be uploaded without fal's storage; use repository='in_memory'"
            % cls.__name__
        )
