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

// Bars of 75 % between white and dark grey, in R'G'B'.
static const double bars[8][3] = {
    {255, 255, 255}, {191, 191, 0}, {0, 191, 191}, {0, 191, 0},
    {191, 0, 191}, {191, 0, 0}, {0, 0, 191}, {16, 16, 16}};

// A sample of the bars: luma, Cb or Cr, by BT.601 or BT.709 with either range.
static int bar_at(const struct camera *camera, int component, int x) {
    int is_709 = camera->format.ycbcr_enc == V4L2_YCBCR_ENC_709;
    int is_full = camera->format.quantization == V4L2_QUANTIZATION_FULL_RANGE;
    double kr = is_709 ? 0.2126 : 0.299, kb = is_709 ? 0.0722 : 0.114;
    const double *bar = bars[x * 8 / (int)camera->format.width];
    double luma = kr * bar[0] + (1 - kr - kb) * bar[1] + kb * bar[2];
    if (component == 0) return (int)((is_full ? luma : 16 + luma * 219 / 255) + 0.5);
    double difference = component == 1 ? (bar[2] - luma) / 2 / (1 - kb)
                                       : (bar[0] - luma) / 2 / (1 - kr);
    return (int)(128.5 + (is_full ? difference : difference * 224 / 255));
}

static unsigned char luma(const struct camera *camera, unsigned number, int x, int y) {
    return (unsigned char)(camera->shape.bars ? bar_at(camera, 0, x)
                                              : luma_at(number, x, y, (int)camera->format.width));
}

static unsigned char chroma(const struct camera *camera, int component, int x, int y) {
    return (unsigned char)(camera->shape.bars
        ? bar_at(camera, 1 + component, x)
        : chroma_at(component, x, y, (int)camera->format.width, (int)camera->format.height));
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
                row[2 * x + first] = luma(camera, number, x, y);
                row[2 * x + 1 - first] =
                    chroma(camera, x & 1, x & ~1, y);
            }
        } else {
            for (int x = 0; x < width; x++)
                row[x] = luma(camera, number, x, y);
        }
    }
    unsigned char *next = out + (size_t)row_bytes * height;
    if (code == fake_code_of("NV12")) {
        for (int y = 0; y < height / 2; y++)
            for (int x = 0; x < width; x++)
                next[(size_t)y * row_bytes + x] =
                    chroma(camera, x & 1, x & ~1, 2 * y);
    }
    if (code == fake_code_of("NM12")) {
        for (int y = 0; y < height / 2; y++)
            for (int x = 0; x < width; x++)
                out[camera->plane_offset[1] + (size_t)(y * camera->plane_row[1] + x)] =
                    chroma(camera, x & 1, x & ~1, 2 * y);
    }
    if (code == fake_code_of("YM12")) {
        for (int plane = 1; plane < 3; plane++)
            for (int y = 0; y < height / 2; y++)
                for (int x = 0; x < width / 2; x++)
                    out[camera->plane_offset[plane]
                        + (size_t)(y * camera->plane_row[plane] + x)] =
                        chroma(camera, plane - 1, 2 * x, 2 * y);
    }
    if (code == fake_code_of("YU12")) {
        for (int plane = 0; plane < 2; plane++)
            for (int y = 0; y < height / 2; y++)
                for (int x = 0; x < width / 2; x++)
                    *next++ = chroma(camera, plane, 2 * x, 2 * y);
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
