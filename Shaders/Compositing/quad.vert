// SPDX-License-Identifier: Apache-2.0
//
// The unit square to where it is drawn, and to the part of the picture that it shows.
//
// Uniforms: positionMatrix: unit square to clip space; textureMatrix: unit square to the picture.

in vec2 corner;
uniform mat3 positionMatrix;
uniform mat3 textureMatrix;
out vec2 pictureCoordinate;

void main() {
    pictureCoordinate = (textureMatrix * vec3(corner, 1.0)).xy;
    gl_Position = vec4((positionMatrix * vec3(corner, 1.0)).xy, 0.0, 1.0);
}
