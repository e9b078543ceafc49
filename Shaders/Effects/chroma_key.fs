/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes a coloured backing, such as a green screen, transparent",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Keying"],
    "PLAYHEAD": { "NATIVE_CHROMA": true, "ALPHA": "premultiplied" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "keyColor", "LABEL": "Key colour", "TYPE": "color",
          "DEFAULT": [0.0, 0.69, 0.25, 1.0] },
        { "NAME": "tolerance", "LABEL": "Tolerance", "TYPE": "float",
          "DEFAULT": 0.25, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "softness", "LABEL": "Softness", "TYPE": "float",
          "DEFAULT": 0.65, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "shadows", "LABEL": "Key shadows", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "spill", "LABEL": "Spill suppression", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "view", "LABEL": "View", "TYPE": "long",
          "VALUES": [0, 1], "LABELS": ["Composite", "Matte"], "DEFAULT": 0 }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// How much of the backing a pixel contains is read off its chroma alone, so that shadows and folds
// on the backing, which change its luma, do not matter:
//
// With the chroma plane turned so that the key colour lies on the axis at 1, a pixel at (x, y) has
// the keyness x - |y| / 2: 1 for the backing, 0 for greys, below 0 for every hue more than 63 degrees
// away. Where foreground and backing mix, at edges, in hair and in motion blur, colours mix in
// proportion, and so does keyness: hence a straight ramp, not a smooth step, gives the proportion
// back.
//
// As much of the key colour as was found is then subtracted, which is what "premultiplied by alpha"
// asks for; what is left of its hue beyond grey, light that the backing throws onto the foreground,
// is spill, and is removed at constant luma, the more strictly the less opaque the pixel is.
//
// In a host that offers the film's own chroma, that is what is keyed: it has not been through
// R'G'B', clamped and rounded to 8 bits. In others it is computed, and the output is not
// premultiplied, as ISF expects.

#ifdef PLAYHEAD_NATIVE_CHROMA
#define lumaCoefficients PLAYHEAD_LUMA_COEFFICIENTS
#else
// ITU-R BT.709-6, item 3.2.
const vec3 lumaCoefficients = vec3(0.2126, 0.7152, 0.0722);
#endif

// Cb and Cr of a nonlinear colour: ITU-T H.273, equations 39 and 40.
vec2 chromaOf(vec3 color) {
    float luma = dot(color, lumaCoefficients);
    return vec2((color.b - luma) / (2.0 * (1.0 - lumaCoefficients.b)),
                (color.r - luma) / (2.0 * (1.0 - lumaCoefficients.r)));
}

// What a change of chroma adds to a colour while its luma stays.
vec3 colorOf(vec2 chroma) {
    float blue = 2.0 * (1.0 - lumaCoefficients.b) * chroma.x;
    float red = 2.0 * (1.0 - lumaCoefficients.r) * chroma.y;
    float green = -(lumaCoefficients.r * red + lumaCoefficients.b * blue) / lumaCoefficients.g;
    return vec3(red, green, blue);
}

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
#ifdef PLAYHEAD_NATIVE_CHROMA
    vec2 chroma = PLAYHEAD_CHROMA(isf_FragNormCoord);
#else
    vec2 chroma = chromaOf(source.rgb);
#endif
    vec2 keyChroma = chromaOf(keyColor.rgb);
    // A grey key has no hue to find: then nothing is keyed.
    float saturation = length(keyChroma);
    vec2 axis = saturation > 0.01 ? keyChroma / saturation : vec2(0.0);
    vec2 turned = vec2(dot(chroma, axis), axis.x * chroma.y - axis.y * chroma.x);
    float keyness = (turned.x - 0.5 * abs(turned.y)) / max(saturation, 0.01);

    // A shadow on the backing has less chroma and less luma, in the same proportion. Luma that is
    // less than in proportion is a strand of dark hair, too thin for chroma's coarser samples.
    float lit = dot(source.rgb, lumaCoefficients) / max(dot(keyColor.rgb, lumaCoefficients), 0.01);
    float proportion = keyness / max(lit, 0.05);
    float shadow = smoothstep(0.80, 0.92, proportion) * (1.0 - smoothstep(1.10, 1.25, proportion))
        * smoothstep(0.2, 0.5, keyness);
    float share = mix(keyness, max(keyness, 1.0), shadow * shadows);

    float clearFrom = 1.0 - tolerance;
    float opaqueTo = clearFrom - max(softness, 0.004);
    float matte = clamp((clearFrom - share) / (clearFrom - opaqueTo), 0.0, 1.0);

    vec3 color = clamp(source.rgb - max(keyness, 0.0) * keyColor.rgb, 0.0, matte);
    vec2 rest = chromaOf(color);
    // Strong hues beside the key's, such as a yellow next to green, keep their share of it.
    float other = abs(axis.x * rest.y - axis.y * rest.x);
    float excess = dot(rest, axis) - max(other - 0.12, 0.0) * matte;
    color -= colorOf(axis * max(excess, 0.0) * spill);
    color = clamp(color, 0.0, matte);

    if (view == 1) {
        gl_FragColor = vec4(vec3(matte * source.a), 1.0);
        return;
    }
    float alpha = matte * source.a;
#ifdef PLAYHEAD
    gl_FragColor = vec4(color * source.a, alpha);
#else
    gl_FragColor = vec4(color / max(matte, 0.001), alpha);
#endif
}
