/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Makes a coloured backing, such as a green screen, transparent",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Keying"],
    "PLAYHEAD": { "ALPHA": "premultiplied" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "keyColor", "LABEL": "Key colour", "TYPE": "color",
          "DEFAULT": [0.0, 0.69, 0.25, 1.0] },
        { "NAME": "tolerance", "LABEL": "Tolerance", "TYPE": "float",
          "DEFAULT": 0.25, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "blackPoint", "LABEL": "Clear up to", "TYPE": "float",
          "DEFAULT": 0.05, "MIN": 0.0, "MAX": 0.5, "GROUP": "Matte" },
        { "NAME": "whitePoint", "LABEL": "Opaque from", "TYPE": "float",
          "DEFAULT": 0.94, "MIN": 0.5, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "softness", "LABEL": "Softness of edges", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "choke", "LABEL": "Choke of edges, in pixels", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -6.0, "MAX": 6.0, "GROUP": "Matte" },
        { "NAME": "feather", "LABEL": "Feather of edges, in pixels", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 12.0, "GROUP": "Matte" },
        { "NAME": "shadows", "LABEL": "Shadow removal", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "despill", "LABEL": "Spill suppression by", "TYPE": "long",
          "VALUES": [0, 1, 2, 3, 4],
          "LABELS": ["Unmixing", "Average", "Limit", "Desaturation", "Replacement"],
          "DEFAULT": 0, "GROUP": "Spill" },
        { "NAME": "spill", "LABEL": "Spill suppression", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Spill" },
        { "NAME": "replacement", "LABEL": "Instead of spill", "TYPE": "color",
          "DEFAULT": [0.5, 0.5, 0.5, 1.0], "GROUP": "Spill" },
        { "NAME": "lightWrap", "LABEL": "Light wrap", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Light wrap" },
        { "NAME": "wrapWidth", "LABEL": "Width of the wrap, of the height", "TYPE": "float",
          "DEFAULT": 0.03, "MIN": 0.0, "MAX": 0.1, "GROUP": "Light wrap" },
        { "NAME": "wrapColor", "LABEL": "Colour of the wrap", "TYPE": "color",
          "DEFAULT": [1.0, 1.0, 1.0, 1.0], "GROUP": "Light wrap" },
        { "NAME": "background", "LABEL": "Background that wraps", "TYPE": "image" },
        { "NAME": "view", "LABEL": "View", "TYPE": "long",
          "VALUES": [0, 1, 2, 3], "LABELS": ["Composite", "Matte", "Status", "Foreground"],
          "DEFAULT": 0 }
    ],
    "PASSES": [
        { "TARGET": "samples", "FLOAT": true,
          "WIDTH": "ceil(45 * $WIDTH / $HEIGHT)", "HEIGHT": "90" },
        { "TARGET": "across", "FLOAT": true,
          "WIDTH": "ceil(45 * $WIDTH / $HEIGHT)", "HEIGHT": "90" },
        { "TARGET": "local", "FLOAT": true,
          "WIDTH": "ceil(45 * $WIDTH / $HEIGHT)", "HEIGHT": "90" },
        { "TARGET": "raw",
          "WIDTH": "max(1, $WIDTH * min(1, ceil(abs($choke) + $feather + $lightWrap)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil(abs($choke) + $feather + $lightWrap)))" },
        { "TARGET": "choked",
          "WIDTH": "max(1, $WIDTH * min(1, ceil(abs($choke))))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil(abs($choke))))" },
        { "TARGET": "feathered",
          "WIDTH": "max(1, $WIDTH * min(1, ceil($feather)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil($feather)))" },
        { "TARGET": "wrap", "FLOAT": true,
          "WIDTH": "max(1, $WIDTH * min(1, ceil($lightWrap)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil($lightWrap)))" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Where foreground and backing meet, in hair, motion blur and smoke, the camera adds their light:
//
//     light = p * foreground + q * backing
//
// and alpha is 1 - q. Three numbers cannot tell p, q and a foreground colour. But the same subject
// is nearby, opaque, and so is the backing, clear. Three small passes find what colours they have
// there; then q follows, exactly where the model holds.
//
// Chroma is what is left of light without grey. Turned and scaled so that the backing lies at
// (1, 0), greys lie at (0, 0), and a foreground colour of any brightness and saturation lies on a
// ray from there, x = slope * |y|. So q = x - slope * |y| is 1 for backing, 0 for the foreground,
// its shades and its greys, and in between in proportion. Each side of the axis has its own slope.
//
// Light is taken as the square of the signal: near enough to any camera's curve, and quick.
//
// Choke, feather and light wrap look at neighbours, so they need the matte as a picture, and have
// passes of their own: as long as none is asked for, these are of one pixel, and cost nothing even
// where drivers take both ways of every branch.

// Rows of each half of the small pictures: backing below, foreground above.
const float rows = 45.0;
// How far a colour is looked for, in those rows.
const float blurSigma = 2.5;

// The slope where no foreground is known: hues further than 63 degrees from the backing's count as
// opaque.
const float cautiousSlope = 0.5;
// Purples opposite the backing have no slope, that is an endless one.
const float steepestSlope = -2.0;
// ITU-R BT.709-6, item 3.2.
const vec3 lumaCoefficients = vec3(0.2126, 0.7152, 0.0722);

vec3 lightOf(vec3 color) { return color * color; }

// As Cb and Cr are made of a colour: ITU-T H.273, equations 39 and 40.
vec2 chromaOf(vec3 light) {
    float luma = dot(light, lumaCoefficients);
    return vec2(light.b - luma, light.r - luma)
        / (2.0 * (1.0 - vec2(lumaCoefficients.b, lumaCoefficients.r)));
}

// Chroma, turned and scaled so that that of `backing` comes to lie at (1, 0).
vec2 turned(vec2 chroma, vec2 backing) {
    return vec2(dot(chroma, backing), backing.x * chroma.y - backing.y * chroma.x)
        / max(dot(backing, backing), 0.00001);
}

// First pass: what is clear backing (light and weight), or what is foreground (the sums that the
// slopes come from), in each part of the picture.
vec4 samplePart() {
    vec2 cell = vec2(1.0 / RENDERSIZE.x, 1.0 / rows);
    bool isForeground = gl_FragCoord.y > rows;
    vec2 corner = floor(vec2(gl_FragCoord.x, gl_FragCoord.y - (isForeground ? rows : 0.0))) * cell;
    vec3 light = vec3(0.0);
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            vec2 place = corner + (vec2(column, row) + 0.5) / 4.0 * cell;
            light += lightOf(IMG_NORM_PIXEL(inputImage, place).rgb);
        }
    }
    light /= 16.0;
    vec3 key = lightOf(keyColor.rgb);
    vec2 chroma = turned(chromaOf(light), chromaOf(key));
    if (isForeground) {
        // The purer a colour and the further its hue, the more it tells; what is greenish tells
        // nothing.
        float weight = (1.0 - smoothstep(0.0, 0.35, chroma.x)) * chroma.y * chroma.y
            * exp(-chroma.x / max(abs(chroma.y), 0.05));
        vec2 sums = weight * vec2(chroma.x, abs(chroma.y));
        return chroma.y > 0.0 ? vec4(sums, 0.0, 0.0) : vec4(0.0, 0.0, sums);
    }
    // A shadow has less chroma and less light in the same proportion. Dust has more light.
    float lit = dot(light, lumaCoefficients) / max(dot(key, lumaCoefficients), 0.0001);
    float purity = (chroma.x - abs(chroma.y)) / max(lit, 0.1);
    float weight = smoothstep(1.0 - 1.4 * tolerance, 1.0 - 0.4 * tolerance, purity)
        * smoothstep(0.2, 0.4, chroma.x);
    return vec4(light * weight, weight);
}

// A Gaussian blur along a direction, within a half of the small pictures.
#define BLUR(sum, image, direction) \
    for (int distance = -6; distance <= 6; distance++) { \
        vec2 place = gl_FragCoord.xy + float(distance) * (direction); \
        float first = gl_FragCoord.y > rows ? rows : 0.0; \
        place.y = clamp(place.y, first + 0.5, first + rows - 0.5); \
        sum += exp(float(-distance * distance) / (2.0 * blurSigma * blurSigma)) \
            * IMG_PIXEL(image, place); \
    }

// Third pass, of the blurred sums: what the backing looks like here, and how much of it is nearby;
// or the slopes on either side.
vec4 localColors(vec4 sums) {
    vec3 key = lightOf(keyColor.rgb);
    if (gl_FragCoord.y < rows) {
        // A grey key has no hue to find: then nothing is keyed.
        if (length(chromaOf(key)) < 0.01) return vec4(0.0);
        vec3 backing = (sums.rgb + 0.04 * key) / (sums.a + 0.04);
        return vec4(mix(key, backing, shadows), smoothstep(0.0, 2.4, sums.a));
    }
    vec4 biased = sums + vec4(cautiousSlope, 1.0, cautiousSlope, 1.0) * 0.0008;
    return vec4(clamp(biased.xz / biased.yw, steepestSlope, cautiousSlope), 0.0, 0.0);
}

// How much of the backing's light is in a pixel, and what the backing's light is there.
struct Mixture {
    float matte;
    float share;
    vec3 light;
    vec3 backing;
};

Mixture mixtureHere() {
    vec2 place = vec2(isf_FragNormCoord.x,
        clamp(0.5 * isf_FragNormCoord.y, 0.25 / rows, 0.5 - 0.25 / rows));
    vec4 backing = IMG_NORM_PIXEL(local, place);
    vec2 slopes = IMG_NORM_PIXEL(local, place + vec2(0.0, 0.5)).xy;

    vec3 light = lightOf(IMG_THIS_PIXEL(inputImage).rgb);
    vec2 chroma = turned(chromaOf(light), chromaOf(backing.rgb));
    float share = chroma.x - (chroma.y > 0.0 ? slopes.x : slopes.y) * abs(chroma.y);
    // What colours cannot tell apart, brightness may. No more backing shines through than there is
    // light, a little noise aside: luma is sharper than chroma, so this is what shows dark hair.
    // And what is left of the light is no brighter than white of that opacity would be.
    share = min(share, 1.1 * dot(light, lumaCoefficients)
        / max(dot(backing.rgb, lumaCoefficients), 0.001));
    vec3 left = light - share * backing.rgb;
    float through = min(share, 1.0 - max(left.r, max(left.g, left.b)));

    // Far from any clear backing nothing is transparent. What opaque parts seem to let through is
    // reflected light, noise, and differences of hue: so they are opaque from `whitePoint` on.
    float matte = 1.0 - through * backing.a;
    matte = clamp((matte - blackPoint) / max(whitePoint - blackPoint, 0.004), 0.0, 1.0);
    matte = clamp((matte - 0.5) / max(softness, 0.004) + 0.5, 0.0, 1.0);
    return Mixture(matte, share, light, backing.rgb);
}

// Places in a disc, evenly: the angle between two is the golden one (H. Vogel, "A better way to
// construct the sunflower head", 1979).
const int petals = 21;
vec2 petal(int index) {
    float angle = 2.39996 * float(index);
    return sqrt((float(index) + 0.5) / float(petals)) * vec2(cos(angle), sin(angle));
}

// The least of the matte within a disc, or the most: edges move inwards, or outwards.
float chokedHere() {
    float matte = IMG_PIXEL(raw, gl_FragCoord.xy).r;
    for (int index = 0; index < petals; index++) {
        float there = IMG_PIXEL(raw, gl_FragCoord.xy + abs(choke) * petal(index)).r;
        matte = choke > 0.0 ? min(matte, there) : max(matte, there);
    }
    return matte;
}

float featheredHere() {
    float sum = 0.0;
    for (int index = 0; index < petals; index++) {
        vec2 place = gl_FragCoord.xy + feather * petal(index);
        sum += choke != 0.0 ? IMG_PIXEL(choked, place).r : IMG_PIXEL(raw, place).r;
    }
    return sum / float(petals);
}

// Spill by channels, as it was done before anything was known of the backing: of the key's own
// channel only so much is left as the others have.
vec3 despilled(vec3 light) {
    vec3 key = keyColor.rgb;
    int own = key.g >= max(key.r, key.b) ? 1 : (key.b >= key.r ? 2 : 0);
    float first = light[(own + 1) % 3], second = light[(own + 2) % 3];
    float allowed = despill == 2 ? max(first, second) : 0.5 * (first + second);
    float excess = spill * max(light[own] - allowed, 0.0);
    vec3 rest = light;
    rest[own] -= excess;
    if (despill == 3) {
        return mix(rest, vec3(dot(rest, lumaCoefficients)), excess / max(light[own], 0.001));
    }
    return despill == 4 ? rest + excess * lightOf(replacement.rgb) : rest;
}

// What comes around the edges from behind.
vec3 wrapHere() {
    vec3 sum = vec3(0.0);
    for (int index = 0; index < petals; index++) {
        vec2 way = wrapWidth * RENDERSIZE.y * petal(index);
        float open = 1.0 - IMG_PIXEL(raw, gl_FragCoord.xy + way).r;
        vec4 behind = IMG_NORM_PIXEL(background, isf_FragNormCoord + way / RENDERSIZE);
        sum += open * lightOf(mix(wrapColor.rgb, behind.rgb, behind.a));
    }
    return lightWrap * sum / float(petals);
}

// Last pass.
vec4 keyed() {
    Mixture here = mixtureHere();
    float matte = here.matte;
    if (feather > 0.0) {
        matte = IMG_THIS_PIXEL(feathered).r;
    } else if (choke != 0.0) {
        matte = IMG_THIS_PIXEL(choked).r;
    }

    // More backing in the colour than shines through is its light on the foreground: spill. What was
    // done to edges since does not change what the light is made of.
    float unwanted = 1.0 - here.matte;
    if (despill == 0) unwanted = max(mix(unwanted, here.share, spill), unwanted);
    vec3 light = max((here.light - unwanted * here.backing) / max(here.matte, 0.02), 0.0);
    if (despill != 0) light = despilled(light);
    if (lightWrap > 0.0) light += IMG_THIS_PIXEL(wrap).rgb;
    vec3 color = sqrt(clamp(light, 0.0, 1.0));

    float alpha = matte * IMG_THIS_PIXEL(inputImage).a;
    if (view == 1) return vec4(vec3(alpha), 1.0);
    if (view == 2) {
        // What is neither clear nor opaque shows in colours: from blue to orange.
        vec3 between = mix(vec3(0.08, 0.25, 0.85), vec3(1.0, 0.55, 0.1), alpha);
        float doubt = step(0.004, alpha) * step(alpha, 0.996);
        return vec4(mix(vec3(alpha), between, doubt), 1.0);
    }
    if (view == 3) return vec4(mix(vec3(0.5), color, smoothstep(0.0, 0.1, matte)), 1.0);
#ifdef PLAYHEAD
    return vec4(color * alpha, alpha);
#else
    return vec4(color, alpha);
#endif
}

void main() {
    vec4 sum = vec4(0.0);
    if (PASSINDEX == 0) {
        gl_FragColor = samplePart();
    } else if (PASSINDEX == 1) {
        BLUR(sum, samples, vec2(1.0, 0.0))
        gl_FragColor = sum;
    } else if (PASSINDEX == 2) {
        BLUR(sum, across, vec2(0.0, 1.0))
        gl_FragColor = localColors(sum);
    } else if (PASSINDEX == 3) {
        gl_FragColor = vec4(mixtureHere().matte);
    } else if (PASSINDEX == 4) {
        gl_FragColor = vec4(chokedHere());
    } else if (PASSINDEX == 5) {
        gl_FragColor = vec4(featheredHere());
    } else if (PASSINDEX == 6) {
        gl_FragColor = vec4(wrapHere(), 1.0);
    } else {
        gl_FragColor = keyed();
    }
}
