"""What posekit raises: every fault is a `ValueError`, with attributes that say what is wrong and where."""

from __future__ import annotations

__all__ = ["FileError", "PosekitError", "UnsuitedError"]


class PosekitError(ValueError):
    """An input that cannot be.

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
    """A call that this robot or file does not suit: an arm without a tool, a motion that is not named."""


class FileError(PosekitError):
    """A file that cannot be used.

    Attributes
    ----------
    subject : str
        What stands at the place of the fault: an element, a field.
    line, column, byte : int or None
        Where; lines and columns from 1.
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
