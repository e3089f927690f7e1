"""The memory of the first NVIDIA GPU in use, of all programs together, while one of them runs."""

import threading
import time

try:
    import pynvml
except ImportError:
    pynvml = None


def first():
    """The GPU and its name; nothing where there is no such library, driver or GPU."""
    try:
        pynvml.nvmlInit()
        gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
        return gpu, pynvml.nvmlDeviceGetName(gpu)
    except pynvml.NVMLError:
        return None, None


GPU, NAME = first() if pynvml else (None, None)

INTERVAL = 0.002  # s


class Watch:
    """`with Watch() as watch`; then `watch.most()` is the most in use at once, less what was in use before."""

    def __enter__(self):
        self.before = self.peak = used()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        if GPU:
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()

    def most(self):
        return self.peak - self.before if GPU else None

    def _look(self):
        while not self.done.is_set():
            self.peak = max(self.peak, used())
            time.sleep(INTERVAL)


def used():
    return pynvml.nvmlDeviceGetMemoryInfo(GPU).used if GPU else 0
