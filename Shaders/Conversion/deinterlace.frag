// SPDX-License-Identifier: Apache-2.0
//
// Shows one field of a plane, and interpolates the rows between.
//
// Defines:  ADAPTIVE   rows of the other field are used where there is no motion
// Uniforms: current, previous: the plane of this frame and of the previous one;
//           keptParity: 0 if the displayed field has the even rows, otherwise 1;
//           isSecond: 1 if the displayed field is the second one of this frame.
//
// Interpolation follows edges: of three directions through the missing sample, it takes the one
// whose ends differ least. Motion is detected with three samples of the previous frame: the
// neighbours of the missing sample, in the displayed field, and its own position, in the other.

uniform sampler2D current;
#ifdef ADAPTIVE
uniform sampler2D previous;
uniform bool isSecond;
#endif
uniform int keptParity;
out vec4 fragmentColor;

vec4 sampleAt(sampler2D plane, ivec2 place) {
    ivec2 last = textureSize(plane, 0) - 1;
    return texelFetch(plane, clamp(place, ivec2(0), last), 0);
}

float distance4(vec4 left, vec4 right) {
    vec4 difference = abs(left - right);
    return max(max(difference.r, difference.g), max(difference.b, difference.a));
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    vec4 here = sampleAt(current, place);
    if ((place.y & 1) == keptParity) {
        fragmentColor = here;
        return;
    }
    int rowCount = textureSize(current, 0).y;
    // The uppermost and the lowest row have only one neighbour.
    int above = place.y > 0 ? place.y - 1 : place.y + 1;
    int below = place.y + 1 < rowCount ? place.y + 1 : place.y - 1;
    vec4 between = vec4(0.0);
    float best = 1e9;
    for (int step = 0; step < 3; step++) {
        // The upright direction is tried first. A slanted direction must be better by more than
        // noise.
        int shift = step == 0 ? 0 : step == 1 ? -1 : 1;
        vec4 upper = sampleAt(current, ivec2(place.x + shift, above));
        vec4 lower = sampleAt(current, ivec2(place.x - shift, below));
        float difference = distance4(upper, lower) + (step == 0 ? 0.0 : 0.03);
        if (difference < best) {
            best = difference;
            between = (upper + lower) * 0.5;
        }
    }
#ifdef ADAPTIVE
    vec4 before = sampleAt(previous, place);
    float motion = distance4(here, before);
    for (int side = 0; side < 2; side++) {
        ivec2 beside = ivec2(place.x, side == 0 ? above : below);
        motion = max(motion, distance4(sampleAt(current, beside), sampleAt(previous, beside)));
    }
    // The row of the other field that is nearest in time, or the mean of the rows before and after.
    vec4 woven = isSecond ? here : (here + before) * 0.5;
    // Motion is blended in from 5 to 15 levels of 8 bits: above film grain, and below visible
    // combing.
    between = mix(woven, between, smoothstep(0.02, 0.06, motion));
#endif
    fragmentColor = between;
}
