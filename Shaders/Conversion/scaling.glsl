// SPDX-License-Identifier: Apache-2.0
//
// Filters a texture along one axis; used in place of picture.glsl.
//
// Defines:  SCALING_AXIS  0: horizontal, 1: vertical
//           KERNEL_SIZE   texels of the kernel
// Uniforms: view0: the texture; kernel: weights from the centre to the edge of the filter;
//           scaling: radius of the filter in texels, its reciprocal, number of texels to read.
// Coordinates: in texels. Beyond the edges the edge texels repeat.

uniform sampler2D view0;
uniform sampler2D kernel;
uniform vec3 scaling;

vec4 pictureColor(vec2 coordinate) {
    ivec2 place = ivec2(floor(coordinate));
    float center = coordinate[SCALING_AXIS];
    int first = int(ceil(center - scaling.x - 0.5));
    int last = textureSize(view0, 0)[SCALING_AXIS] - 1;
    int count = int(scaling.z);
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int tap = 0; tap < count; tap++) {
        float distance = abs(float(first + tap) + 0.5 - center) * scaling.y;
        if (distance < 1.0) {
            float entry = (distance * (KERNEL_SIZE - 1.0) + 0.5) / KERNEL_SIZE;
            float weight = textureLod(kernel, vec2(entry, 0.5), 0.0).r;
            place[SCALING_AXIS] = clamp(first + tap, 0, last);
            sum += texelFetch(view0, place, 0) * weight;
            weights += weight;
        }
    }
    return sum / weights;
}
