// SPDX-License-Identifier: Apache-2.0
//
// Ordered dither, for levels that a target does not have.
//
// Defines:  DITHER_STEP   from one of the target's levels to the next

// Bayer's 8 x 8 matrix, half a step down to half a step up: the bits of x ^ y and y, interleaved
// and reversed. It is ordered, so that still images do not flicker.
float dither() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    // Three copies side by side; a mask takes one bit of each: the last bit first, with gaps.
    int across = ((place.x ^ place.y) & 7) * 73 & 84;
    int up = (place.y & 7) * 73 & 84;
    return float(2 * across + up - 126) / 256.0 * DITHER_STEP;
}
