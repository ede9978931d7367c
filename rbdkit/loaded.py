"""When this process began to load rbdkit: sources that were changed later may not be what runs."""

import time

AT = time.time()
