// SPDX-License-Identifier: Apache-2.0
//
// Converts a frame's R'G'B' to a target's: ColorTransform, for a shader.
//
// Defines:  DECODING, ENCODING   CURVE_POWER, CURVE_SRGB, CURVE_LINEAR, CURVE_PQ, CURVE_HLG,
//                                CURVE_LOGARITHMIC
//           DECODING_PARAMETER, ENCODING_PARAMETER  a power's exponent, a logarithm's decades
//           COLOR_TRANSFORM      there is a transform
//           COLOR_TONE_MAPS      light is tone mapped to the target's peak
//           PICTURE_STAGE        1: constant luminance, 2: ICtCp; needs DECODING
// Uniforms: lightMatrix: decoded light to the target's primaries, 1 being 10,000 cd/m2;
//           encodingScale: that light to the units of the encoding;
//           toneMapping: the video's peak on PQ's scale, the target's peak and the knee as shares
//           of it.
// Negative light is kept only if the encoding is linear.

// SMPTE ST 2084, 5.2.
const float pqM1 = 2610.0 / 16384.0;
const float pqM2 = 2523.0 / 32.0;
const float pqC1 = 3424.0 / 4096.0;
const float pqC2 = 2413.0 / 128.0;
const float pqC3 = 2392.0 / 128.0;

vec3 pqLight(vec3 signal) {
    // Signals above 1 are clamped, because the formula has no value for signals that are much
    // larger.
    vec3 power = pow(clamp(signal, 0.0, 1.0), vec3(1.0 / pqM2));
    return pow(max(power - pqC1, 0.0) / (pqC2 - pqC3 * power), vec3(1.0 / pqM1));
}

vec3 pqSignal(vec3 light) {
    vec3 power = pow(max(light, 0.0), vec3(pqM1));
    return pow((pqC1 + pqC2 * power) / (1.0 + pqC3 * power), vec3(pqM2));
}

// ITU-R BT.2100-2, table 5: OETF and its inverse; the system gamma is 1.2 at 1000 cd/m2.
const float hlgA = 0.17883277;
const float hlgB = 0.28466892;
const float hlgC = 0.55991073;
const float hlgGamma = 1.2;
const vec3 hlgLuma = vec3(0.2627, 0.6780, 0.0593);

vec3 hlgScene(vec3 signal) {
    vec3 value = max(signal, 0.0);
    vec3 upper = (exp((value - hlgC) / hlgA) + hlgB) / 12.0;
    return mix(value * value / 3.0, upper, greaterThan(value, vec3(0.5)));
}

vec3 hlgSignal(vec3 scene) {
    vec3 value = max(scene, 0.0);
    vec3 upper = hlgA * log(max(12.0 * value - hlgB, 1e-6)) + hlgC;
    return mix(sqrt(3.0 * value), upper, greaterThan(value, vec3(1.0 / 12.0)));
}

#ifdef DECODING
vec3 decodedLight(vec3 signal) {
#if DECODING == CURVE_POWER
    return pow(max(signal, 0.0), vec3(DECODING_PARAMETER));
#elif DECODING == CURVE_SRGB
    vec3 upper = pow((max(signal, 0.0) + 0.055) / 1.055, vec3(2.4));
    return mix(signal / 12.92, upper, greaterThan(signal, vec3(0.04045)));
#elif DECODING == CURVE_PQ
    return pqLight(signal);
#elif DECODING == CURVE_HLG
    vec3 scene = hlgScene(signal);
    float brightness = dot(scene, hlgLuma);
    return brightness > 0.0 ? scene * pow(brightness, hlgGamma - 1.0) : vec3(0.0);
#elif DECODING == CURVE_LOGARITHMIC
    return pow(vec3(10.0), DECODING_PARAMETER * (signal - 1.0));
#else
    return signal;
#endif
}
#endif

#ifdef COLOR_TRANSFORM
uniform mat3 lightMatrix;
uniform float encodingScale;

vec3 encodedSignal(vec3 light) {
#if ENCODING == CURVE_POWER
    return pow(max(light, 0.0), vec3(1.0 / ENCODING_PARAMETER));
#elif ENCODING == CURVE_SRGB
    vec3 upper = 1.055 * pow(max(light, 0.0), vec3(1.0 / 2.4)) - 0.055;
    return mix(light * 12.92, upper, greaterThan(light, vec3(0.0031308)));
#elif ENCODING == CURVE_PQ
    return pqSignal(light);
#elif ENCODING == CURVE_HLG
    float brightness = dot(light, hlgLuma);
    return brightness > 0.0
        ? hlgSignal(light * pow(brightness, 1.0 / hlgGamma - 1.0)) : vec3(0.0);
#elif ENCODING == CURVE_LOGARITHMIC
    return max(1.0 + log(max(light, 1e-9)) / (log(10.0) * ENCODING_PARAMETER), 0.0);
#else
    return light;
#endif
}

#ifdef COLOR_TONE_MAPS
uniform vec3 toneMapping;

// ITU-R BT.2390-11, 5.4.1, with black at 0 on both sides.
float toneMapped(float light) {
    float knee = toneMapping.z;
    float place = min(pqSignal(vec3(light)).x / toneMapping.x, 1.0);
    if (place > knee) {
        float t = (place - knee) / (1.0 - knee);
        float t2 = t * t;
        float t3 = t2 * t;
        place = (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee)
            + (3.0 * t2 - 2.0 * t3) * toneMapping.y;
    }
    return pqLight(vec3(place * toneMapping.x)).x;
}
#endif

vec3 targetColor(vec3 color) {
    vec3 light = lightMatrix * decodedLight(color);
#ifdef COLOR_TONE_MAPS
    float largest = max(light.r, max(light.g, light.b));
    if (largest > 0.0) light *= toneMapped(largest) / largest;
#endif
    return encodedSignal(light * encodingScale);
}
#endif

#ifdef PICTURE_STAGE
vec3 stagedColor(vec3 color) {
#if PICTURE_STAGE == 1
    // ITU-R BT.2020-2, table 4: constant luminance. The input is C'rc, Y'c, C'bc.
    float red = color.g + color.r * (color.r > 0.0 ? 2.0 * 0.4969 : 2.0 * 0.8591);
    float blue = color.g + color.b * (color.b > 0.0 ? 2.0 * 0.7910 : 2.0 * 0.9702);
    vec3 signal = vec3(red, color.g, blue);
    // The camera's curve, also from table 4, with exact constants.
    const float alpha = 1.09929682680944;
    const float beta = 0.018053968510807;
    vec3 upper = pow((max(signal, 0.0) + (alpha - 1.0)) / alpha, vec3(1.0 / 0.45));
    vec3 scene = mix(signal / 4.5, upper, greaterThanEqual(signal, vec3(4.5 * beta)));
    float green = (scene.g - 0.2627 * scene.r - 0.0593 * scene.b) / 0.6780;
    signal.g = green < beta ? 4.5 * green : alpha * pow(green, 0.45) - (alpha - 1.0);
    return signal;
#else
    // ITU-R BT.2100-2, table 7: ICtCp. The input is L'M'S'.
    const mat3 coneResponse = mat3(1688.0, 683.0, 99.0, 2146.0, 2951.0, 309.0, 262.0, 462.0, 3688.0)
        / 4096.0;
#if DECODING == CURVE_HLG
    return hlgSignal(inverse(coneResponse) * hlgScene(color));
#else
    return pqSignal(inverse(coneResponse) * pqLight(color));
#endif
#endif
}
#endif
