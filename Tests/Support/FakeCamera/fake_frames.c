// SPDX-License-Identifier: Apache-2.0

// The frames of fake cameras.
#include "fake_camera.h"
#include <string.h>

// CRC-8 as in FrameNumberStrip.swift.
static unsigned check_of(unsigned number) {
    unsigned remainder = 0;
    unsigned bytes[3] = {number >> 16 & 255, number >> 8 & 255, number & 255};
    for (int index = 0; index < 3; index++) {
        remainder ^= bytes[index];
        for (int bit = 0; bit < 8; bit++)
            remainder = (remainder & 0x80 ? remainder << 1 ^ 0x07 : remainder << 1) & 255;
    }
    return remainder ^ 0x55;
}

// The luma of a pixel: a ramp under the number.
static int luma_at(unsigned number, int x, int y, int width) {
    int block = width / 16 / 2 * 2;
    if (block > 16) block = 16;
    if (block < 2) block = 2;
    if (x < block * 16 && y < block * 2) {
        int index = y / block * 16 + x / block;
        if (index < 2) return index == 0 ? 235 : 16;
        unsigned long code = (unsigned long)number << 8 | check_of(number);
        return code >> (31 - index) & 1 ? 235 : 16;
    }
    return 16 + (x + y) % 220;
}

static int chroma_at(int component, int x, int y, int width, int height) {
    return component == 0 ? 64 + 128 * x / width : 64 + 128 * y / height;
}

void fake_paint(struct camera *camera, unsigned number, unsigned char *out) {
    int width = (int)camera->format.width, height = (int)camera->format.height;
    int row_bytes = (int)camera->format.bytesperline;
    uint32_t code = camera->format.pixelformat;
    for (int y = 0; y < height; y++) {
        unsigned char *row = out + (size_t)y * row_bytes;
        if (code == fake_code_of("YUYV") || code == fake_code_of("UYVY")) {
            int first = code == fake_code_of("YUYV") ? 0 : 1;
            for (int x = 0; x < width; x++) {
                row[2 * x + first] = (unsigned char)luma_at(number, x, y, width);
                row[2 * x + 1 - first] =
                    (unsigned char)chroma_at(x & 1, x & ~1, y, width, height);
            }
        } else {
            for (int x = 0; x < width; x++)
                row[x] = (unsigned char)luma_at(number, x, y, width);
        }
    }
    unsigned char *next = out + (size_t)row_bytes * height;
    if (code == fake_code_of("NV12")) {
        for (int y = 0; y < height / 2; y++)
            for (int x = 0; x < width; x++)
                next[(size_t)y * row_bytes + x] =
                    (unsigned char)chroma_at(x & 1, x & ~1, 2 * y, width, height);
    }
    if (code == fake_code_of("NM12")) {
        for (int y = 0; y < height / 2; y++)
            for (int x = 0; x < width; x++)
                out[camera->plane_offset[1] + (size_t)(y * camera->plane_row[1] + x)] =
                    (unsigned char)chroma_at(x & 1, x & ~1, 2 * y, width, height);
    }
    if (code == fake_code_of("YM12")) {
        for (int plane = 1; plane < 3; plane++)
            for (int y = 0; y < height / 2; y++)
                for (int x = 0; x < width / 2; x++)
                    out[camera->plane_offset[plane]
                        + (size_t)(y * camera->plane_row[plane] + x)] =
                        (unsigned char)chroma_at(plane - 1, 2 * x, 2 * y, width, height);
    }
    if (code == fake_code_of("YU12")) {
        for (int plane = 0; plane < 2; plane++)
            for (int y = 0; y < height / 2; y++)
                for (int x = 0; x < width / 2; x++)
                    *next++ = (unsigned char)chroma_at(plane, 2 * x, 2 * y, width, height);
    }
}

// The images of MJPEG begin with FF D8 FF, those of H.264 with an access unit delimiter, 00 00 00 01
// 09.
size_t fake_sample_at(
    struct camera *camera, unsigned number, int is_jpeg, unsigned char **start) {
    static const unsigned char jpeg[] = {0xFF, 0xD8, 0xFF}, unit[] = {0, 0, 0, 1, 9};
    const unsigned char *mark = is_jpeg ? jpeg : unit;
    size_t mark_bytes = is_jpeg ? sizeof jpeg : sizeof unit;
    unsigned count = 0;
    for (size_t place = 0; place + mark_bytes <= camera->sample_bytes; place++)
        count += !memcmp(camera->samples + place, mark, mark_bytes);
    if (!count) return 0;
    unsigned wanted = number % count, index = 0;
    size_t from = 0, to = camera->sample_bytes;
    for (size_t place = 0; place + mark_bytes <= camera->sample_bytes; place++) {
        if (memcmp(camera->samples + place, mark, mark_bytes)) continue;
        if (index == wanted) from = place;
        if (index == wanted + 1) { to = place; break; }
        index++;
    }
    *start = camera->samples + from;
    return to - from;
}
