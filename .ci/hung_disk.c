/* A disk that takes nothing more while the file exists that HUNG_DISK names: preloaded by a test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static void wait_for_the_disk(void) {
    const char *file = getenv("HUNG_DISK");
    struct timespec pause = {0, 20000000};
    while (file && access(file, F_OK) == 0) nanosleep(&pause, 0);
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_the_disk();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_the_disk();
    return next(file);
}
