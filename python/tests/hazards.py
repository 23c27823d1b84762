"""Jobs with a row that is fatal to whoever computes it; workers import this module."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np

from posekit.jobs import Part, Piece, Solve


@dataclass(frozen=True, kw_only=True)
class Hazard(Solve):
    row: int
    what: str

    def compute(self, part: Part, begin: int, end: int) -> Piece:
        if begin <= self.row < end:
            if self.what == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            elif self.what == "hang":
                time.sleep(3600)
            elif self.what == "memory":
                np.ones(3 << 27)  # 3.2 GB
            elif self.what == "worker":
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(3600)
        return super().compute(part, begin, end)
