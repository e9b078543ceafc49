/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Keys out a coloured backing such as a green screen",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Keying"],
    "PLAYHEAD": { "ALPHA": "premultiplied" },
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "keyColor", "LABEL": "Key colour", "TYPE": "color",
          "DEFAULT": [0.0, 0.69, 0.25, 1.0] },
        { "NAME": "tolerance", "LABEL": "Tolerance", "TYPE": "float",
          "DEFAULT": 0.25, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "blackPoint", "LABEL": "Clip black", "TYPE": "float",
          "DEFAULT": 0.05, "MIN": 0.0, "MAX": 0.5, "GROUP": "Matte" },
        { "NAME": "whitePoint", "LABEL": "Clip white", "TYPE": "float",
          "DEFAULT": 0.94, "MIN": 0.5, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "softness", "LABEL": "Softness", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "choke", "LABEL": "Choke (px)", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": -6.0, "MAX": 6.0, "GROUP": "Matte" },
        { "NAME": "feather", "LABEL": "Feather (px)", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 12.0, "GROUP": "Matte" },
        { "NAME": "shadows", "LABEL": "Shadow removal", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Matte" },
        { "NAME": "mixing", "LABEL": "Edge mixing", "TYPE": "long",
          "VALUES": [0, 1, 2], "LABELS": ["Automatic", "Linear light", "Encoded values"],
          "DEFAULT": 0, "GROUP": "Matte" },
        { "NAME": "despill", "LABEL": "Spill method", "TYPE": "long",
          "VALUES": [0, 1, 2, 3, 4],
          "LABELS": ["Unmixing", "Average", "Limit", "Desaturation", "Replacement"],
          "DEFAULT": 0, "GROUP": "Spill" },
        { "NAME": "spill", "LABEL": "Spill suppression", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Spill" },
        { "NAME": "replacement", "LABEL": "Replacement colour", "TYPE": "color",
          "DEFAULT": [0.5, 0.5, 0.5, 1.0], "GROUP": "Spill" },
        { "NAME": "lightWrap", "LABEL": "Light wrap", "TYPE": "float",
          "DEFAULT": 0.0, "MIN": 0.0, "MAX": 1.0, "GROUP": "Light wrap" },
        { "NAME": "wrapWidth", "LABEL": "Wrap width (fraction of height)", "TYPE": "float",
          "DEFAULT": 0.03, "MIN": 0.0, "MAX": 0.1, "GROUP": "Light wrap" },
        { "NAME": "wrapColor", "LABEL": "Wrap colour", "TYPE": "color",
          "DEFAULT": [1.0, 1.0, 1.0, 1.0], "GROUP": "Light wrap" },
        { "NAME": "background", "LABEL": "Wrap background", "TYPE": "image" },
        { "NAME": "view", "LABEL": "View", "TYPE": "long",
          "VALUES": [0, 1, 2, 3], "LABELS": ["Composite", "Matte", "Status", "Foreground"],
          "DEFAULT": 0 }
    ],
    "PASSES": [
        { "TARGET": "means", "FLOAT": true,
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "90" },
        { "TARGET": "samples", "FLOAT": true,
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "225" },
        { "TARGET": "across", "FLOAT": true,
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "225" },
        { "TARGET": "nearby", "FLOAT": true,
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "225" },
        { "TARGET": "columns", "FLOAT": true,
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "1" },
        { "TARGET": "whole", "FLOAT": true, "WIDTH": "1", "HEIGHT": "3" },
        { "TARGET": "local",
          "WIDTH": "min(256, ceil(45 * $WIDTH / $HEIGHT))", "HEIGHT": "135" },
        { "TARGET": "raw", "WHEN": "abs($choke) + $feather + $lightWrap",
          "WIDTH": "max(1, $WIDTH * min(1, ceil(abs($choke) + $feather + $lightWrap)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil(abs($choke) + $feather + $lightWrap)))" },
        { "TARGET": "choked", "WHEN": "$choke",
          "WIDTH": "max(1, $WIDTH * min(1, ceil(abs($choke))))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil(abs($choke))))" },
        { "TARGET": "feathered", "WHEN": "$feather",
          "WIDTH": "max(1, $WIDTH * min(1, ceil($feather)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil($feather)))" },
        { "TARGET": "wrap", "FLOAT": true, "WHEN": "$lightWrap",
          "WIDTH": "max(1, $WIDTH * min(1, ceil($lightWrap)))",
          "HEIGHT": "max(1, $HEIGHT * min(1, ceil($lightWrap)))" },
        {}
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// At the boundary between foreground and backing, in hair, motion blur and smoke, the two add up:
//
//     sum = p * foreground + q * backing
//
// and alpha is 1 - q. The three channels of a pixel do not determine p, q and the foreground
// colour. But nearby there are opaque pixels of the subject and clear pixels of the backing. Four
// small passes find their colours. Then q follows, and is exact where the model holds.
//
// Chroma is a colour without its grey part. It is rotated and scaled so that the backing is at (1,
// 0). Greys are at (0, 0), and a foreground colour of any brightness and saturation is on a ray
// from (0, 0), x = slope * |y|. So q = x - slope * |y| is 1 for backing, 0 for the foreground with
// its shades and greys, and proportional in between. Each side of the axis has its own slope.
//
// In a camera, light adds up; in images that are scaled, drawn or dissolved, signals do. Light is
// approximated by the square of the signal, which is close to any camera's curve, and fast. The
// edges show which of the two applies: a mixture of two colours is on the line between them (and,
// if one of them is in the shade, on the plane through them and black) in one of the two spaces
// only. So mixed pixels vote, by their distance from the line and the plane in both spaces.
//
// Choke, feather and light wrap read neighbours, so they need the matte as an image and have passes
// of their own. While none of them is used, these passes are skipped, or have one pixel in hosts
// that do not support WHEN, and cost nothing even with drivers that execute both branches of an if.

// The number of rows of each fifth of the small images. The fifths are: backing; the sums for the
// slopes of light; those of signals; foreground colours on either side of the axis.
const float rows = 45.0;
// The standard deviation of the blur that spreads colours, in these rows.
const float blurSigma = 2.5;

// The slope if no foreground colour is known: hues further than 63 degrees from the backing's count
// as opaque.
const float cautiousSlope = 0.5;
// The limit of the slope. For purples opposite the backing, the slope would be infinite.
const float steepestSlope = -2.0;
// The weight of the foreground of the whole image relative to the foreground nearby. It matters
// where there is no foreground nearby, as in smoke.
const float elsewhere = 0.1;
// A subject with several colours may have any of them at a place. Spill is removed only from
// colours that are closer to the backing than the mean by more than this number of standard
// deviations.
const float spread = 2.0;
// The maximum fraction of the backing's light that a subject reflects.
const float mostSpill = 0.15;
// ITU-R BT.709-6, item 3.2.
const vec3 lumaCoefficients = vec3(0.2126, 0.7152, 0.0722);

vec3 lightOf(vec3 color) { return color * color; }

// The weights with which Cb and Cr are derived from a colour: ITU-T H.273, equations 39 and 40.
vec2 chromaOf(vec3 light) {
    float luma = dot(light, lumaCoefficients);
    return vec2(light.b - luma, light.r - luma)
        / (2.0 * (1.0 - vec2(lumaCoefficients.b, lumaCoefficients.r)));
}

// Chroma, rotated and scaled so that the chroma of `backing` is at (1, 0).
vec2 turned(vec2 chroma, vec2 backing) {
    return vec2(dot(chroma, backing), backing.x * chroma.y - backing.y * chroma.x)
        / max(dot(backing, backing), 0.00001);
}

// The sums from which slopes are computed. Purer colours and hues that are further from the
// backing's have more weight; greenish ones have none.
vec4 slopeSums(vec3 sum, vec3 key) {
    vec2 chroma = turned(chromaOf(sum), chromaOf(key));
    float weight = (1.0 - smoothstep(0.0, 0.35, chroma.x)) * chroma.y * chroma.y
        * exp(-chroma.x / max(abs(chroma.y), 0.05));
    vec2 sums = weight * vec2(chroma.x, abs(chroma.y));
    return chroma.y > 0.0 ? vec4(sums, 0.0, 0.0) : vec4(0.0, 0.0, sums);
}

// First pass: the mean of light and of signals in each cell of the image.
vec4 meansHere() {
    vec2 cell = vec2(1.0 / RENDERSIZE.x, 1.0 / rows);
    float section = floor(gl_FragCoord.y / rows);
    vec2 corner = floor(gl_FragCoord.xy - vec2(0.0, section * rows)) * cell;
    vec3 sum = vec3(0.0);
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            vec2 place = corner + (vec2(column, row) + 0.5) / 4.0 * cell;
            vec3 here = IMG_NORM_PIXEL(inputImage, place).rgb;
            sum += section == 0.0 ? lightOf(here) : here;
        }
    }
    return vec4(sum / 16.0, 1.0);
}

// Second pass: for each cell, the clear backing (light and weight), the sums for the slopes, and
// the foreground (colour and weight).
vec4 samplePart() {
    float section = floor(gl_FragCoord.y / rows);
    vec2 part = gl_FragCoord.xy - vec2(0.0, section * rows);
    vec3 light = IMG_PIXEL(means, part).rgb;
    vec3 color = IMG_PIXEL(means, part + vec2(0.0, rows)).rgb;
    vec3 key = lightOf(keyColor.rgb);
    if (section == 1.0) return slopeSums(light, key);
    if (section == 2.0) return slopeSums(color, keyColor.rgb);
    vec2 chroma = turned(chromaOf(light), chromaOf(key));
    if (section == 0.0) {
        // In a shadow, chroma and light are reduced by the same factor. Dust has more light.
        float lit = dot(light, lumaCoefficients) / max(dot(key, lumaCoefficients), 0.0001);
        float purity = (chroma.x - abs(chroma.y)) / max(lit, 0.1);
        float weight = smoothstep(1.0 - 1.4 * tolerance, 1.0 - 0.4 * tolerance, purity)
            * smoothstep(0.2, 0.4, chroma.x);
        return vec4(light * weight, weight);
    }
    // Colours closer to the backing may be mixtures. Greys belong to both sides.
    float side = section == 3.0 ? chroma.y : -chroma.y;
    float weight = (1.0 - smoothstep(0.0, 0.3, chroma.x))
        * exp(-max(chroma.x, 0.0) / max(abs(chroma.y), 0.05) - 4.0 * clamp(chroma.x, -1.5, 0.0))
        * clamp(0.5 + side / 0.16, 0.0, 1.0);
    return vec4(color * weight, weight);
}

// A Gaussian blur along a direction, within a fifth of the small images. Samples are read in pairs:
// a linear filter mixes two neighbours in the right proportion.
float weightAt(int distance) {
    return exp(float(-distance * distance) / (2.0 * blurSigma * blurSigma));
}

#define BLUR(sum, image, direction) \
    sum = IMG_PIXEL(image, gl_FragCoord.xy); \
    for (int pair = 1; pair < 6; pair += 2) { \
        float both = weightAt(pair) + weightAt(pair + 1); \
        vec2 way = (float(pair) + weightAt(pair + 1) / both) * (direction); \
        for (int side = -1; side < 2; side += 2) { \
            vec2 place = gl_FragCoord.xy + float(side) * way; \
            float first = floor(gl_FragCoord.y / rows) * rows; \
            place.y = clamp(place.y, first + 0.5, first + rows - 0.5); \
            sum += both * IMG_PIXEL(image, place); \
        } \
    }

// The backing's light from its sums, and its weight nearby.
vec4 backingOf(vec4 sums) {
    vec3 key = lightOf(keyColor.rgb);
    // A grey key colour has no hue, so nothing is keyed.
    if (length(chromaOf(key)) < 0.01) return vec4(key, 0.0);
    vec3 backing = (sums.rgb + 0.04 * key) / (sums.a + 0.04);
    return vec4(mix(key, backing, shadows), smoothstep(0.0, 2.4, sums.a));
}

// The squared distance, in signals, of a mixture from the plane through black and two colours. All
// three are given in the space in which they add up, with its derivative by the signals.
float offPlane(vec3 sum, vec3 first, vec3 second, vec3 growth) {
    vec3 normal = cross(first, second);
    float off = dot(normal, sum);
    vec3 slope = normal * growth;
    return off * off / max(dot(slope, slope), 0.000001);
}

// The fraction of the first of two colours at the point on the line between them that is closest to
// a mixture.
float shareOnLine(vec3 sum, vec3 first, vec3 second) {
    vec3 way = first - second;
    return clamp(dot(sum - second, way) / max(dot(way, way), 0.001), 0.0, 1.0);
}

// The vote of a place in the small images, for light (positive) or signals (negative), by plane and
// by line, with the weights of these votes.
vec4 voteAt(vec2 place) {
    vec3 color = IMG_NORM_PIXEL(inputImage, place / vec2(RENDERSIZE.x, rows)).rgb;
    vec4 backing = backingOf(IMG_PIXEL(nearby, place));
    vec3 light = lightOf(color), behind = sqrt(backing.rgb);
    vec2 chroma = turned(chromaOf(light), chromaOf(backing.rgb));
    vec4 subject = IMG_PIXEL(nearby, place + vec2(0.0, (chroma.y > 0.0 ? 3.0 : 4.0) * rows));
    // An even mixture has the most weight, if both colours are known.
    float share = clamp(chroma.x, 0.0, 1.0);
    float evenness = 4.0 * share * (1.0 - share);
    float weight = evenness * evenness * backing.a * subject.a / (subject.a + 0.3);
    vec3 own = subject.rgb / max(subject.a, 0.000001);
    vec3 ownLight = lightOf(own);
    vec2 plane = vec2(offPlane(color, own, behind, vec3(1.0)),
        offPlane(light, ownLight, backing.rgb, 2.0 * color));
    vec3 bySignals = color - mix(behind, own, shareOnLine(color, own, behind));
    vec3 byLight = color
        - sqrt(mix(backing.rgb, ownLight, shareOnLine(light, ownLight, backing.rgb)));
    vec2 line = vec2(dot(bySignals, bySignals), dot(byLight, byLight));
    // Two colours with almost the same hue do not define a plane.
    float angle = length(cross(ownLight, backing.rgb))
        / max(length(ownLight) * length(backing.rgb), 0.0001);
    // A colour that is far off in both spaces is a third colour.
    vec2 counts = weight * vec2(smoothstep(0.1, 0.4, angle), 1.0)
        * exp(-vec2(min(plane.x, plane.y), min(line.x, line.y)) / 0.003);
    return vec4(counts * vec2((plane.x - plane.y) / (plane.x + plane.y + 0.0008),
        (line.x - line.y) / (line.x + line.y + 0.0008)), counts);
}

// The mean of the votes in one column of the image.
vec4 columnMean() {
    vec4 sum = vec4(0.0);
    for (int row = 0; row < 45; row++) {
        sum += voteAt(vec2(gl_FragCoord.x, float(row) + 0.5));
    }
    return sum / rows;
}

// For the whole image: whether its edges are mixtures of light (1) or of signals (0), with values
// in between if the edges are inconclusive; and cautious sums for the slopes in both spaces.
vec4 wholePicture() {
    float section = floor(gl_FragCoord.y);
    vec4 sum = vec4(0.0), votes = vec4(0.0);
    float count = 0.0;
    float width = IMG_SIZE(columns).x;
    for (int column = 0; column < 256; column++) {
        float x = float(column) + 0.5;
        if (x > width) break;
        votes += IMG_PIXEL(columns, vec2(x, 0.5));
    }
    // The images are blurred, so every third pixel is enough.
    vec2 squares = vec2(0.0);
    for (int column = 1; column < 256; column += 3) {
        float x = float(column) + 0.5;
        if (x > width) break;
        count += 1.0;
        for (int row = 1; row < 45; row += 3) {
            vec4 here = IMG_PIXEL(nearby, vec2(x, section * rows + float(row) + 0.5));
            sum += here;
            squares += here.xz * here.xz / max(here.yw, 0.0000001);
        }
    }
    if (section > 0.0) {
        vec2 weights = max(sum.yw, 0.0000001), slopes = sum.xz / weights;
        slopes += spread * sqrt(max(squares / weights - slopes * slopes, 0.0));
        return vec4(slopes.x, 1.0, slopes.y, 1.0) * sum.yyww / (15.0 * max(count, 1.0));
    }
    votes /= min(width, 256.0);
    // A small number of edges is inconclusive.
    vec2 means = votes.xy / (votes.zw + 0.0056);
    float told = clamp(0.5 + 4.0 * (means.x + means.y), 0.0, 1.0);
    return vec4(mixing == 0 ? told : (mixing == 1 ? 1.0 : 0.0));
}

vec2 slopesOf(vec4 sums) {
    vec4 biased = sums + vec4(cautiousSlope, 1.0, cautiousSlope, 1.0) * 0.0008;
    return clamp(biased.xz / biased.yw, steepestSlope, cautiousSlope);
}

// The values that every pixel reads, in thirds of an image: the light of the backing and its weight
// nearby; the slopes on either side, for light and for signals, from 0 to 1; and the result of the
// votes, which is the same everywhere. The format has 8 bits, whose step is far below the precision
// that edges need; software OpenGL takes four times as long to filter floats.
vec4 localColors() {
    float section = floor(gl_FragCoord.y / rows);
    if (section == 0.0) {
        vec4 backing = backingOf(IMG_PIXEL(nearby, gl_FragCoord.xy));
        return vec4(sqrt(backing.rgb), backing.a);
    }
    if (section == 2.0) return IMG_PIXEL(whole, vec2(0.5));
    vec4 light = IMG_PIXEL(nearby, gl_FragCoord.xy)
        + elsewhere * IMG_PIXEL(whole, vec2(0.5, 1.5));
    vec4 signals = IMG_PIXEL(nearby, gl_FragCoord.xy + vec2(0.0, rows))
        + elsewhere * IMG_PIXEL(whole, vec2(0.5, 2.5));
    return (vec4(slopesOf(light), slopesOf(signals)) - steepestSlope)
        / (cautiousSlope - steepestSlope);
}

// The parts of a pixel: its opacity, and its foreground colour multiplied by the opacity.
struct Parts {
    float matte;
    vec3 rest;
};

// The minimum opacity for a division. The colour of a pixel that is almost clear cannot be
// recovered.
const float leastMatte = 0.02;

Parts partsOf(vec3 sum, vec3 backing, vec2 slopes, float nearness) {
    // As in `turned`, but with a single division at the end.
    const vec2 scale = 0.5 / (1.0 - lumaCoefficients.br);
    float luma = dot(sum, lumaCoefficients), backingLuma = dot(backing, lumaCoefficients);
    vec2 chroma = (sum.br - luma) * scale, axis = (backing.br - backingLuma) * scale;
    float reach = max(dot(axis, axis), 0.00001);
    backingLuma = max(backingLuma, 0.001);
    float across = axis.x * chroma.y - axis.y * chroma.x;
    float along = dot(chroma, axis) - (across > 0.0 ? slopes.x : slopes.y) * abs(across);
    // Brightness limits the result where colours do not. The part of the backing is not larger than
    // the pixel's luma, with some tolerance for noise. Luma is sharper than chroma, so this
    // preserves dark hair. And the foreground is not brighter than white at that opacity.
    float share = min(along * backingLuma, 1.1 * luma * reach) / (reach * backingLuma);
    vec3 left = sum - share * backing;
    float through = min(share, 1.0 - max(left.r, max(left.g, left.b)));

    // Far from any clear backing, nothing is transparent. Apparent transparency of opaque parts is
    // reflected light, noise or a different hue, so opacity is complete from `whitePoint` on.
    float matte = 1.0 - through * nearness;
    matte = clamp((matte - blackPoint) / max(whitePoint - blackPoint, 0.004), 0.0, 1.0);
    if (softness < 1.0) {
        matte = clamp((matte - 0.5) / max(softness, 0.004) + 0.5, 0.0, 1.0);
    }
    // If a colour contains more of the backing than its transparency explains, the rest is spill:
    // light of the backing reflected by the foreground. What exceeds the maximum of spill is the
    // subject's own colour. Yellow beside red is not red under green light.
    float unwanted = 1.0 - matte;
    if (despill == 0) {
        unwanted = max(mix(unwanted, min(share, unwanted + mostSpill), spill), unwanted);
    }
    return Parts(matte, clamp(sum - unwanted * backing, 0.0, max(matte, leastMatte)));
}

// The opacity of a pixel, and its foreground colour multiplied by the opacity.
struct Mixture {
    float matte;
    vec3 rest;
};

Mixture mixtureOf(vec3 color) {
    vec2 place = vec2(isf_FragNormCoord.x,
        clamp(isf_FragNormCoord.y, 0.5 / rows, 1.0 - 0.5 / rows) / 3.0);
    vec4 backing = IMG_NORM_PIXEL(local, place);
    vec4 slopes = mix(vec4(steepestSlope), vec4(cautiousSlope),
        IMG_NORM_PIXEL(local, place + vec2(0.0, 1.0 / 3.0)));
    // The value is the same in the whole image, so it is read without a filter.
#ifdef PLAYHEAD
    float told = texelFetch(local, ivec2(0, 2.5 * rows), 0).r;
#else
    float told = IMG_NORM_PIXEL(local, vec2(place.x, 5.0 / 6.0)).r;
#endif

    Parts light = partsOf(lightOf(color), lightOf(backing.rgb), slopes.xy, backing.a);
    Parts signals = partsOf(color, backing.rgb, slopes.zw, backing.a);
    // In dark colours, signals have more chroma than light. By signals, dark parts of the subject
    // would appear to be transparent. So a pixel that is opaque by light is opaque.
    float share = mix(1.0, told, smoothstep(0.0, 0.1, 1.0 - light.matte));
    float matte = mix(signals.matte, light.matte, share);
    vec3 rest = mix(signals.rest, sqrt(light.rest * max(light.matte, leastMatte)), share);
    return Mixture(matte, min(rest, max(matte, leastMatte)));
}

// Evenly distributed points in a disc: the angle between two is the golden angle (H. Vogel, "A
// better way to construct the sunflower head", 1979).
const int petals = 21;
vec2 petal(int index) {
    float angle = 2.39996 * float(index);
    return sqrt((float(index) + 0.5) / float(petals)) * vec2(cos(angle), sin(angle));
}

// The minimum or the maximum of the matte in a disc, which moves edges inwards or outwards.
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

// Spill suppression by channels, without knowledge of the backing: the channel of the key colour is
// limited by the other two.
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

// The light of the background that wraps around the edges.
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
    vec4 pixel = IMG_THIS_PIXEL(inputImage);
    Mixture here = mixtureOf(pixel.rgb);
    float matte = here.matte;
    vec3 color = here.rest / max(matte, leastMatte);
    if (feather > 0.0) {
        matte = IMG_THIS_PIXEL(feathered).r;
    } else if (choke != 0.0) {
        matte = IMG_THIS_PIXEL(choked).r;
    }

    // Changes to the edges do not change the foreground colour.
    if (despill != 0 || lightWrap > 0.0) {
        vec3 light = lightOf(color);
        if (despill != 0) light = despilled(light);
        if (lightWrap > 0.0) light += IMG_THIS_PIXEL(wrap).rgb;
        color = sqrt(clamp(light, 0.0, 1.0));
    }

    float alpha = matte * pixel.a;
    if (view == 1) return vec4(vec3(alpha), 1.0);
    if (view == 2) {
        // Partial opacity is shown in colour, from blue to orange.
        vec3 between = mix(vec3(0.08, 0.25, 0.85), vec3(1.0, 0.55, 0.1), alpha);
        float doubt = step(0.004, alpha) * step(alpha, 0.996);
        return vec4(mix(vec3(alpha), between, doubt), 1.0);
    }
    if (view == 3) return vec4(mix(vec3(0.5), color, smoothstep(0.0, 0.1, matte)), 1.0);
#ifdef PLAYHEAD
    // If the matte was not changed, the premultiplied colour is used directly, without dividing and
    // multiplying.
    if (choke == 0.0 && feather <= 0.0 && despill == 0 && lightWrap <= 0.0) {
        return vec4(here.rest * (pixel.a * min(matte / leastMatte, 1.0)), alpha);
    }
    return vec4(color * alpha, alpha);
#else
    return vec4(color, alpha);
#endif
}

void main() {
    vec4 sum = vec4(0.0);
    if (PASSINDEX == 0) {
        gl_FragColor = meansHere();
    } else if (PASSINDEX == 1) {
        gl_FragColor = samplePart();
    } else if (PASSINDEX == 2) {
        BLUR(sum, samples, vec2(1.0, 0.0))
        gl_FragColor = sum;
    } else if (PASSINDEX == 3) {
        BLUR(sum, across, vec2(0.0, 1.0))
        gl_FragColor = sum;
    } else if (PASSINDEX == 4) {
        gl_FragColor = columnMean();
    } else if (PASSINDEX == 5) {
        gl_FragColor = wholePicture();
    } else if (PASSINDEX == 6) {
        gl_FragColor = localColors();
    } else if (PASSINDEX == 7) {
        gl_FragColor = vec4(mixtureOf(IMG_THIS_PIXEL(inputImage).rgb).matte);
    } else if (PASSINDEX == 8) {
        gl_FragColor = vec4(chokedHere());
    } else if (PASSINDEX == 9) {
        gl_FragColor = vec4(featheredHere());
    } else if (PASSINDEX == 10) {
        gl_FragColor = vec4(wrapHere(), 1.0);
    } else {
        gl_FragColor = keyed();
    }
}
