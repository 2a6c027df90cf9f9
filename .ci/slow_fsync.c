/* A disk that takes a millisecond more to make things durable: preloaded by bench.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_a_millisecond(void) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, 0);
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_a_millisecond();
    return next(file);
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_a_millisecond();
    return next(file);
}
