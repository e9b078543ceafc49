// SPDX-License-Identifier: Apache-2.0
//
// A pixel of one of many layers, each with its own edges, corners, masks and blending.
//
// Defines:  ALPHA_IN            as in layer.frag; the output is premultiplied
//           PICTURE_VIEWS       as in picture.glsl; 0: the layer is of one colour
//           LAYER_IS_SHAPED     edges may cross pixels: the covered part of each pixel is
//                               computed, which smooths edges without multisampling
//           SCREEN_COORDINATES  the texture was drawn for a region of the target: it is sampled
//                               at the pixel's position, regardless of the layer's plane
//           TO_LIGHT, TO_SIGNAL the output, or the input, is linear light
//           COLOR_TRANSFORM, COLOR_UNBOUNDED  as in layer.frag
//           DITHER_STEP         as in dither.glsl
//           BLEND_MODE          as in blend.glsl; `backdrop` contains the layers behind
// Uniforms: backdropOrigin: the lower left corner of `backdrop` in the target, in pixels.

in vec2 place;
flat in vec4 layerPicture;
flat in vec4 layerBounds;
flat in vec4 layerMask;
flat in vec4 layerTextureX;
flat in vec2 layerTextureY;
flat in vec4 layerTint;
flat in vec4 layerOptions;
out vec4 fragmentColor;

#ifdef BLEND_MODE
uniform sampler2D backdrop;
uniform vec2 backdropOrigin;
#endif

#ifdef LAYER_IS_SHAPED
// The covered part of a pixel whose centre is inside an edge by a distance in pixels.
float within(float pixels) { return clamp(pixels + 0.5, 0.0, 1.0); }

// The change of a function of the plane from one pixel to the next. The gradient is that in the
// plane.
float change(vec2 gradient, vec2 right, vec2 up) {
    return max(length(vec2(dot(gradient, right), dot(gradient, up))), 1e-9);
}

float rectangle(vec2 point, vec2 lowest, vec2 highest, vec2 right, vec2 up) {
    vec2 pixel = vec2(change(vec2(1.0, 0.0), right, up), change(vec2(0.0, 1.0), right, up));
    vec2 share = clamp((point - lowest) / pixel + 0.5, 0.0, 1.0)
        + clamp((highest - point) / pixel + 0.5, 0.0, 1.0) - 1.0;
    return max(share.x, 0.0) * max(share.y, 0.0);
}

// The covered part at the round corners of a rectangle; 1 everywhere else.
float corners(vec2 point, vec4 rect, float radius, vec2 right, vec2 up) {
    vec2 fromMiddle = point - rect.xy - rect.zw / 2.0;
    vec2 beyond = abs(fromMiddle) - rect.zw / 2.0 + radius;
    if (radius <= 0.0 || beyond.x <= 0.0 || beyond.y <= 0.0) return 1.0;
    float far = length(beyond);
    return within((radius - far) / change(beyond / far * sign(fromMiddle), right, up));
}

float ellipse(vec2 point, vec4 rect, vec2 right, vec2 up) {
    vec2 radii = max(rect.zw / 2.0, 1e-6);
    vec2 fromMiddle = point - rect.xy - rect.zw / 2.0;
    float far = length(fromMiddle / radii);
    if (far < 1e-6) return within(min(radii.x, radii.y));
    return within((1.0 - far) / change(fromMiddle / (radii * radii) / far, right, up));
}

// The part of the pixel that the layer covers.
float coverage() {
    vec2 right = dFdx(place);
    vec2 up = dFdy(place);
    vec2 lowest = max(layerPicture.xy, layerBounds.xy);
    vec2 highest = min(layerPicture.xy + layerPicture.zw, layerBounds.xy + layerBounds.zw);
    if (layerOptions.y < 0.0) {
        // The group as a whole is clipped at these bounds. Its layers extend beyond them, so that
        // they are not clipped twice.
        const float far = 1e6;
        vec2 end = layerBounds.xy + layerBounds.zw;
        lowest -= far * vec2(lessThanEqual(layerPicture.xy, layerBounds.xy));
        highest += far * vec2(greaterThanEqual(layerPicture.xy + layerPicture.zw, end));
    }
    float share = rectangle(place, lowest, highest, right, up);
    // Where two edges meet, the smaller part is used. The two are usually the same edge, and the
    // product of both parts would clip it twice.
    share = min(share, corners(place, layerBounds, layerOptions.y, right, up));
    if (layerOptions.w > 1.5) {
        share = min(share, ellipse(place, layerMask, right, up));
    } else if (layerOptions.w > 0.5) {
        share = min(share, rectangle(place, layerMask.xy, layerMask.xy + layerMask.zw, right, up));
        share = min(share, corners(place, layerMask, layerOptions.z, right, up));
    }
    return share;
}
#endif

// The curves of IEC 61966-2-1 (sRGB), amendment 1, extended to negative values.
vec3 toLight(vec3 signal) {
    vec3 size = abs(signal);
    return sign(signal)
        * mix(size / 12.92, pow((size + 0.055) / 1.055, vec3(2.4)), step(0.04045, size));
}
vec3 toSignal(vec3 light) {
    vec3 size = abs(light);
    return sign(light)
        * mix(size * 12.92, 1.055 * pow(size, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, size));
}

void main() {
#ifdef LAYER_IS_SHAPED
    float share = coverage();
#else
    float share = 1.0;
#endif
#if PICTURE_VIEWS == 0
    vec4 color = layerTint;
#else
#ifdef SCREEN_COORDINATES
    vec2 spot = gl_FragCoord.xy;
#else
    // Smooth edges are drawn beyond the texture. There the colour of the texture's edge is
    // repeated.
    vec2 spot = clamp((place - layerPicture.xy) / layerPicture.zw, 0.0, 1.0);
#endif
    vec4 color = pictureColor(
        layerTextureX.xy + layerTextureX.zw * spot.x + layerTextureY * spot.y);
#endif
#ifdef COLOR_TRANSFORM
#if ALPHA_IN == ALPHA_PREMULTIPLIED
    color.rgb = color.a > 0.0 ? targetColor(color.rgb / color.a) * color.a : vec3(0.0);
#else
    color.rgb = targetColor(color.rgb);
#endif
#endif
#ifdef COLOR_UNBOUNDED
    color.a = clamp(color.a, 0.0, 1.0);
#else
    color = clamp(color, 0.0, 1.0);
#endif
#if ALPHA_IN == ALPHA_OPAQUE
    color.a = 1.0;
#endif
#if defined(TO_LIGHT) || defined(TO_SIGNAL)
#if ALPHA_IN == ALPHA_PREMULTIPLIED
    color.rgb = color.a > 0.0 ? color.rgb / color.a : vec3(0.0);
#endif
#ifdef TO_LIGHT
    color.rgb = toLight(color.rgb);
#else
    color.rgb = toSignal(color.rgb);
#endif
    color.rgb *= color.a;
#elif ALPHA_IN == ALPHA_STRAIGHT
    color.rgb *= color.a;
#endif
    color *= layerOptions.x;
#ifdef BLEND_MODE
    vec4 behind = texelFetch(backdrop, ivec2(gl_FragCoord.xy - backdropOrigin), 0);
    fragmentColor = mix(behind, blend(color, behind), share);
#else
    fragmentColor = color * share;
#endif
#ifdef DITHER_STEP
    // The dither is in proportion to the visible part of the layer, because the target must not
    // change elsewhere.
    fragmentColor.rgb += dither() * color.a * share;
#endif
}
