// SPDX-License-Identifier: Apache-2.0
//
// Ordered dither, for values between the levels of a target.
//
// Defines:  DITHER_STEP   the distance from one of the target's levels to the next

// Bayer's 8 x 8 matrix, from half a step below to half a step above: the bits of x ^ y and y,
// interleaved and reversed. The pattern is ordered, so that still images do not flicker.
float dither() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    // The multiplication makes three copies of the bits. The mask takes one bit from each copy, the
    // last bit first, with gaps between the bits.
    int across = ((place.x ^ place.y) & 7) * 73 & 84;
    int up = (place.y & 7) * 73 & 84;
    return float(2 * across + up - 126) / 256.0 * DITHER_STEP;
}
