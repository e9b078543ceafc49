/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Ten small animations that loop every four seconds, in front of a green screen",
    "CREDIT": "Playhead",
    "CATEGORIES": ["Generator"],
    "INPUTS": [
        { "NAME": "motif", "LABEL": "Motif", "TYPE": "long",
          "VALUES": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
          "LABELS": ["Sun", "Planet", "Metronome", "Gears", "Boat", "Heart", "Ball", "Pinwheel",
                     "Clock", "Fish"], "DEFAULT": 0 },
        { "NAME": "evening", "LABEL": "Other colours", "TYPE": "bool", "DEFAULT": false }
    ]
}*/

// SPDX-License-Identifier: Apache-2.0
//
// Shapes are signed distances, in halves of the image's height, and every angle and path is a
// periodic function of `phase`: so the first frame follows the last one.

const float period = 4.0;
const float turn = 6.2831853;
const vec3 backing = vec3(0.0, 0.69, 0.25);

const vec3 cream = vec3(0.98, 0.95, 0.90);
const vec3 navy = vec3(0.11, 0.13, 0.28);
const vec3 steel = vec3(0.42, 0.47, 0.58);
const vec3 brown = vec3(0.47, 0.25, 0.17);

vec3 picture = backing;
// The size of a pixel, in the same unit.
float pixel;

// Colours that `evening` changes.
vec3 warm() { return evening ? vec3(0.80, 0.20, 0.52) : vec3(0.93, 0.31, 0.22); }
vec3 light() { return evening ? vec3(0.98, 0.60, 0.72) : vec3(1.00, 0.70, 0.25); }
vec3 cool() { return evening ? vec3(0.45, 0.30, 0.82) : vec3(0.16, 0.42, 0.86); }

// Paints the points at a distance of 0 or less.
void paint(vec3 color, float far) { picture = mix(picture, color, clamp(0.5 - far / pixel, 0.0, 1.0)); }

mat2 turned(float angle) { return mat2(cos(angle), -sin(angle), sin(angle), cos(angle)); }
float disc(vec2 p, float radius) { return length(p) - radius; }
float box(vec2 p, vec2 size, float corner) {
    vec2 beyond = abs(p) - size + corner;
    return length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - corner;
}
float line(vec2 p, vec2 from, vec2 to, float width) {
    vec2 way = to - from;
    return length(p - from - way * clamp(dot(p - from, way) / dot(way, way), 0.0, 1.0)) - width;
}
// A shape's colour, lighter towards the upper left.
vec3 lit(vec3 color, vec2 p) { return color * (1.0 + 0.16 * dot(p, vec2(-0.7, 0.7))); }

void sun(vec2 p, float phase) {
    vec2 q = turned(turn * phase / 12.0) * p;
    float part = turn / 12.0;
    float angle = mod(atan(q.y, q.x) + part / 2.0, part) - part / 2.0;
    vec2 ray = length(q) * vec2(cos(angle), sin(angle));
    float reach = 0.74 + 0.06 * sin(2.0 * turn * phase);
    paint(light(), line(ray, vec2(0.5, 0.0), vec2(reach, 0.0), 0.05));
    paint(lit(light(), p), disc(p, 0.44));
    paint(lit(warm(), p), disc(p, 0.36));
    float blink = phase > 0.46 && phase < 0.5 ? 0.1 : 1.0;
    for (float side = -1.0; side < 2.0; side += 2.0) {
        paint(navy, disc((p - vec2(0.13 * side, 0.08)) / vec2(1.0, blink), 0.045));
    }
    float smile = max(abs(length(p - vec2(0.0, 0.02)) - 0.18) - 0.02, p.y + 0.04);
    paint(navy, smile);
}

void planet(vec2 p, float phase) {
    vec2 q = turned(0.35) * p;
    vec2 orbit = vec2(cos(turn * phase), sin(turn * phase));
    vec2 moon = vec2(0.82, 0.2) * orbit;
    bool isBehind = orbit.y > 0.0;
    if (isBehind) paint(lit(cream, p), disc(q - moon, 0.1));
    float ring = abs(length(q / vec2(1.0, 0.26)) - 0.68) * 0.3 - 0.028;
    if (q.y > 0.0) paint(light(), ring);
    paint(lit(cool(), p * 1.6), disc(p, 0.42));
    float band = sin(14.0 * q.y + 0.6 * sin(turn * phase + 4.0 * q.x));
    paint(lit(cool() * 0.78, p * 1.6), max(disc(p, 0.42), 0.05 * (0.5 - band)));
    if (q.y <= 0.0) paint(light(), ring);
    if (!isBehind) paint(lit(cream, p), disc(q - moon, 0.1));
}

void metronome(vec2 p, float phase) {
    float width = 0.40 - 0.2 * (p.y + 0.7) / 1.3;
    paint(lit(brown, p), max(abs(p.x) - width, abs(p.y + 0.08) - 0.64) - 0.03);
    paint(cream, max(abs(p.x) - width + 0.08, abs(p.y) - 0.4));
    paint(brown * 0.7, box(p - vec2(0.0, -0.68), vec2(0.5, 0.1), 0.04));
    for (float mark = 0.0; mark < 5.0; mark++) {
        paint(steel, box(p - vec2(0.0, -0.2 + 0.13 * mark), vec2(0.06, 0.008), 0.0));
    }
    vec2 q = turned(0.5 * sin(2.0 * turn * phase)) * (p - vec2(0.0, -0.5));
    paint(navy, line(q, vec2(0.0), vec2(0.0, 1.2), 0.022));
    paint(warm(), box(q - vec2(0.0, 0.78), vec2(0.11, 0.07), 0.02));
    paint(navy, disc(q, 0.06));
}

float gear(vec2 p, float teeth, float radius) {
    float wave = cos(teeth * atan(p.y, p.x));
    return length(p) - radius - 0.055 * clamp(2.4 * wave, -1.0, 1.0);
}

void gears(vec2 p, float phase) {
    vec2 a = p - vec2(-0.30, 0.22), b = p - vec2(0.42, -0.36);
    // A gear with sixteen teeth drives one with ten. In a period both move by four teeth, after
    // which both look the same.
    vec2 first = turned(turn * phase * 4.0 / 16.0) * a;
    vec2 second = turned(-turn * phase * 4.0 / 10.0 + turn / 13.0) * b;
    paint(lit(warm(), a), gear(first, 16.0, 0.54));
    paint(lit(steel, b), gear(second, 10.0, 0.33));
    paint(lit(warm() * 0.72, a), disc(a, 0.38));
    paint(lit(steel * 0.72, b), disc(b, 0.21));
    for (float spoke = 0.0; spoke < 4.0; spoke++) {
        vec2 way = turned(spoke * turn / 4.0) * first;
        paint(lit(warm(), a), line(way, vec2(0.0), vec2(0.4, 0.0), 0.05));
    }
    paint(cream, disc(a, 0.11));
    paint(cream, disc(b, 0.09));
    paint(navy, disc(a, 0.05));
    paint(navy, disc(b, 0.04));
}

float wave(float x, float phase, float count) {
    return sin(count * 3.14159 * x - turn * phase * 2.0);
}

void boat(vec2 p, float phase) {
    vec2 q = turned(-0.12 * sin(2.0 * turn * phase)) * (p - vec2(0.0, -0.2 + 0.05 * cos(2.0 * turn * phase)));
    paint(brown, line(q, vec2(0.0, 0.0), vec2(0.0, 0.86), 0.025));
    vec2 sail = q - vec2(0.05, 0.16);
    paint(lit(cream, p), max(max(-sail.x, -sail.y), sail.x * 0.78 + sail.y * 0.62 - 0.42));
    sail = q - vec2(-0.05, 0.16);
    paint(lit(light(), p), max(max(sail.x, -sail.y), -sail.x * 0.84 + sail.y * 0.54 - 0.33));
    float hull = max(max(q.y - 0.08, -q.y - 0.18), abs(q.x) - 0.62 - 0.6 * q.y);
    paint(lit(warm(), p), hull - 0.02);
    paint(cool() * 0.8, p.y + 0.36 - 0.05 * wave(p.x, phase, 2.0));
    paint(cool(), p.y + 0.5 - 0.05 * wave(p.x + 0.4, phase, 3.0));
    paint(cool() * 1.16, p.y + 0.68 - 0.05 * wave(p.x + 0.1, phase, 2.0));
}

// Two discs and a corner, from (0, 0) to (0, 1): Inigo Quilez, "2D distance functions".
float heartShape(vec2 q) {
    q.x = abs(q.x);
    if (q.x + q.y > 1.0) return length(q - vec2(0.25, 0.75)) - 0.35355;
    vec2 top = q - vec2(0.0, 1.0), edge = q - 0.5 * max(q.x + q.y, 0.0);
    return sqrt(min(dot(top, top), dot(edge, edge))) * sign(q.x - q.y);
}

void heart(vec2 p, float phase) {
    float beat = mod(phase * 4.0, 1.0);
    float size = 1.15 + 0.3 * exp(-6.0 * beat) * sin(9.0 * beat);
    paint(lit(warm(), p), size * heartShape(p / size + vec2(0.0, 0.55)));
    vec2 gloss = turned(-0.7) * (p / size - vec2(-0.28, 0.32));
    paint(mix(warm(), cream, 0.6), disc(gloss / vec2(1.0, 0.5), 0.09));
}

void ball(vec2 p, float phase) {
    float way = mod(phase * 2.0, 1.0);
    float height = 4.0 * way * (1.0 - way);
    float squash = 0.16 * exp(-60.0 * (1.0 - abs(2.0 * way - 1.0)) * (1.0 - abs(2.0 * way - 1.0)));
    paint(navy, disc((p - vec2(0.0, -0.8)) / vec2(1.0, 0.18), 0.36 - 0.12 * height) * 0.3);
    vec2 center = vec2(0.0, -0.42 + 0.85 * height - 0.3 * squash);
    vec2 q = (p - center) / vec2(1.0 + squash, 1.0 - squash);
    vec2 r = turned(-turn * phase) * q;
    vec3 color = r.x * r.y > 0.0 ? warm() : cream;
    if (disc(r, 0.1) < 0.0) color = cool();
    paint(lit(color, q * 2.0), disc(q, 0.36));
}

void pinwheel(vec2 p, float phase) {
    paint(brown, line(p, vec2(0.0, 0.1), vec2(0.0, -1.1), 0.03));
    vec2 q = turned(-turn * phase) * (p - vec2(0.0, 0.1));
    for (float blade = 0.0; blade < 4.0; blade++) {
        vec2 r = turned(blade * turn / 4.0) * q;
        vec3 color = mod(blade, 2.0) < 0.5 ? warm() : cool();
        // A right angle, and over it the half that is folded back.
        paint(lit(color, p), 0.7 * max(max(-r.y, r.y - r.x), r.x - 0.64));
        paint(lit(color * 0.7, p), 0.7 * max(max(-r.y, r.y - 0.45 * r.x), r.x - 0.64));
    }
    paint(cream, disc(q, 0.09));
    paint(navy, disc(q, 0.04));
}

void clock(vec2 p, float phase) {
    paint(lit(cool(), p), disc(p, 0.78));
    paint(lit(cream, p), disc(p, 0.66));
    for (float hour = 0.0; hour < 12.0; hour++) {
        vec2 q = turned(hour * turn / 12.0) * p;
        bool isQuarter = mod(hour, 3.0) < 0.5;
        paint(navy, box(q - vec2(0.0, 0.56), vec2(isQuarter ? 0.03 : 0.014, 0.05), 0.01));
    }
    vec2 q = turned(turn * phase) * p;
    paint(navy, line(q, vec2(0.0, -0.08), vec2(0.0, 0.46), 0.028));
    // Twelve hours in a period would blur, so the short hand jumps from hour to hour.
    float step = floor(phase * 12.0) + smoothstep(0.7, 1.0, fract(phase * 12.0));
    q = turned(turn * step / 12.0) * p;
    paint(navy, line(q, vec2(0.0, -0.06), vec2(0.0, 0.3), 0.04));
    paint(warm(), disc(p, 0.06));
}

void fish(vec2 p, float phase) {
    // It swims through the image, out on one side and in on the other.
    vec2 q = p - vec2(mod(3.6 * phase + 1.8, 3.6) - 1.8, 0.08 * sin(2.0 * turn * phase));
    q.y += 0.05 * sin(6.0 * q.x - 4.0 * turn * phase) * smoothstep(0.2, -0.6, q.x);
    vec2 tail = q - vec2(-0.44, 0.0);
    paint(lit(light(), q), max(max(tail.x - 0.1, -tail.x - 0.2), abs(tail.y) + 0.9 * tail.x - 0.1) - 0.02);
    paint(lit(warm(), q * 1.5), length(q / vec2(1.5, 1.0)) * 1.0 - 0.28);
    for (float stripe = 0.0; stripe < 3.0; stripe++) {
        float band = abs(q.x - 0.06 + 0.16 * stripe + 0.3 * q.y * q.y) - 0.035;
        paint(lit(cream, q), max(band, length(q / vec2(1.5, 1.0)) - 0.27));
    }
    paint(cream, disc(q - vec2(0.26, 0.06), 0.06));
    paint(navy, disc(q - vec2(0.275, 0.06), 0.03));
    for (float bubble = 0.0; bubble < 3.0; bubble++) {
        float rise = fract(phase + bubble / 3.0);
        vec2 place = vec2(-0.6 + 0.6 * bubble + 0.06 * sin(turn * (rise * 2.0)), 2.6 * rise - 1.3);
        float far = disc(p - place, 0.06 + 0.02 * bubble);
        paint(mix(cool(), cream, 0.45), abs(far) - 0.016);
    }
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - RENDERSIZE) / RENDERSIZE.y;
    pixel = 2.0 / RENDERSIZE.y;
    float phase = mod(TIME, period) / period;
    if (motif == 0) sun(p, phase);
    else if (motif == 1) planet(p, phase);
    else if (motif == 2) metronome(p, phase);
    else if (motif == 3) gears(p, phase);
    else if (motif == 4) boat(p, phase);
    else if (motif == 5) heart(p, phase);
    else if (motif == 6) ball(p, phase);
    else if (motif == 7) pinwheel(p, phase);
    else if (motif == 8) clock(p, phase);
    else fish(p, phase);
    gl_FragColor = vec4(picture, 1.0);
}
