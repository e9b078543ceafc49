// SPDX-License-Identifier: Apache-2.0

// The description of a node, which fake_camera.c specifies.
#define _GNU_SOURCE
#include "fake_camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int numbers(const char *text, int *list) {
    int count = 0;
    for (char *end; *text && count < MAX_LIST; text = *end ? end + 1 : end) {
        list[count++] = (int)strtol(text, &end, 10);
        if (end == text) break;
    }
    return count;
}

static int error_of(const char *name) {
    return !strcmp(name, "EAGAIN") ? EAGAIN : !strcmp(name, "EIO") ? EIO : 0;
}

int fake_read_shape(const char *path, struct shape *shape) {
    int descriptor = ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(
        path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    char text[8192];
    ssize_t size = read(descriptor, text, sizeof text - 1);
    ((int (*)(int))dlsym(RTLD_NEXT, "close"))(descriptor);
    if (size < 0) return -1;
    text[size] = 0;
    memset(shape, 0, sizeof *shape);
    strcpy(shape->card, "Fake Camera");
    strcpy(shape->bus, "usb-fake-1");
    strcpy(shape->stamps, "monotonic");
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, '=');
        if (!value) continue;
        *value++ = 0;
#define TEXT(name) if (!strcmp(line, #name)) snprintf(shape->name, sizeof shape->name, "%s", value)
        TEXT(card);
        TEXT(bus);
        TEXT(stamps);
        TEXT(mjpeg);
        TEXT(h264);
        TEXT(range);
        TEXT(matrix);
        if (!strcmp(line, "caps")) {
            shape->is_metadata = !strcmp(value, "metadata");
            shape->is_planar = !strcmp(value, "planar");
        }
        if (!strcmp(line, "real")) shape->real = atof(value);
        if (!strcmp(line, "ppm")) shape->ppm = atof(value);
        if (!strcmp(line, "drift")) shape->drift = atof(value);
        if (!strcmp(line, "jitter")) shape->jitter = atof(value);
        if (!strcmp(line, "stall")) shape->stall = atoi(value);
        if (!strcmp(line, "busy")) shape->busy = atoi(value);
        if (!strcmp(line, "denied")) shape->denied = atoi(value);
        if (!strcmp(line, "bandwidth")) shape->bandwidth = atoi(value);
        if (!strcmp(line, "bars")) shape->bars = atoi(value);
        if (!strcmp(line, "dequeue")) shape->dequeue = error_of(value);
        if (!strcmp(line, "jump")) shape->jump_count = numbers(value, shape->jump);
        if (!strcmp(line, "lose")) shape->lose_count = numbers(value, shape->lose);
        if (!strcmp(line, "short")) shape->short_count = numbers(value, shape->short_);
        if (!strcmp(line, "flag")) shape->flag_count = numbers(value, shape->flag);
        if (!strcmp(line, "actual"))
            sscanf(value, "%dx%d", &shape->actual_width, &shape->actual_height);
        if (!strcmp(line, "format") && shape->format_count < MAX_FORMATS) {
            struct format *format = &shape->formats[shape->format_count++];
            int used = 0;
            sscanf(value, "%4s %dx%d%n", format->code, &format->width, &format->height, &used);
            for (char *end, *next = value + used; format->rate_count < MAX_RATES; next = end) {
                double rate = strtod(next, &end);
                if (end == next) break;
                format->rates[format->rate_count++] = rate;
            }
        }
    }
    return 0;
}

int fake_listed(int number, const int *list, int count) {
    for (int index = 0; index < count; index++)
        if (list[index] == number) return 1;
    return 0;
}

uint32_t fake_code_of(const char *text) {
    return v4l2_fourcc((uint8_t)text[0], (uint8_t)text[1], (uint8_t)text[2], (uint8_t)text[3]);
}
