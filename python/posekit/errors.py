"""Exceptions: every fault is a `ValueError`, whose attributes name what is wrong and where."""

from __future__ import annotations

__all__ = ["FileError", "PosekitError", "UnsuitedError"]


class PosekitError(ValueError):
    """An invalid input.

    Attributes
    ----------
    what : str or None
        The argument or value at fault.
    index : int or None
        Its row, where it has rows.
    joint : str or None
        The joint at fault.
    """

    def __init__(
        self,
        message: str,
        *,
        what: str | None = None,
        index: int | None = None,
        joint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.what = what
        self.index = index
        self.joint = joint


class UnsuitedError(PosekitError):
    """A call that is unsuitable for this robot or file: an arm without a tool, a motion without an index."""


class FileError(PosekitError):
    """An invalid file.

    Attributes
    ----------
    subject : str
        The element or field at fault.
    line, column, byte : int or None
        Its place; lines and columns from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        subject: str = "",
        line: int | None = None,
        column: int | None = None,
        byte: int | None = None,
    ) -> None:
        super().__init__(message, what=subject or None)
        self.subject = subject
        self.line = line
        self.column = column
        self.byte = byte
