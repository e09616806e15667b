"""In which order the files of tests run, and on which worker.

The first worker begins with the files that compile the most kernels, the others with those that compile none;
they meet in between. So hardly a kernel is compiled twice, though every worker starts without one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

# By folder of the tests; what is not named stands in the middle.
COMPILE_MOST = (
    *("data", "losses", "targets", "properties", "worlds", "metrics"),
    *("agree", "evaluation", "fit", "adapters"),
)
COMPILE_LEAST = ("feedback", "theory", "architecture")
# Of the theory, what asks the kernels of metrics and losses: late enough for them to be there.
WITH_KERNELS = re.compile("certify|enclosure|excess|formulas|matrix|minim|replay|risk|search")


def place_in_queue(path: str) -> int:
    """Where a file of tests stands, by its path from the root: what compiles most first."""
    folder = path.split("/")[1] if path.startswith("tests/") and not WITH_KERNELS.search(path) else ""
    if folder in COMPILE_MOST:
        return COMPILE_MOST.index(folder) - len(COMPILE_MOST)
    return COMPILE_LEAST.index(folder) + 1 if folder in COMPILE_LEAST else 0


class FromBothEnds(LoadFileScheduling):
    """A file at a time: the first worker takes the first in the queue, any other worker the last."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def schedule(self) -> None:
        """Keep the order of `place_in_queue` instead of one by the number of tests."""
        self.config.option.loadscopereorder = False
        super().schedule()
