// SPDX-License-Identifier: Apache-2.0
//
// Maps the unit square to clip space, and to the part of the frame that is shown.
//
// Defines:  PICTURE_VIEWS  as in picture.glsl, for the fragment shader
// Uniforms: positionMatrix: unit square to clip space; textureMatrix: unit square to the frame;
//           chromaTransform: as in picture.glsl.

in vec2 corner;
uniform mat3 positionMatrix;
uniform mat3 textureMatrix;
// All depths are equal, so software OpenGL need not divide.
noperspective out vec2 pictureCoordinate;
#if defined(PICTURE_VIEWS) && PICTURE_VIEWS > 1
uniform vec4 chromaTransform;
noperspective out vec2 chromaCoordinate;
#endif

void main() {
    pictureCoordinate = (textureMatrix * vec3(corner, 1.0)).xy;
#if defined(PICTURE_VIEWS) && PICTURE_VIEWS > 1
    chromaCoordinate = pictureCoordinate * chromaTransform.xy + chromaTransform.zw;
#endif
    gl_Position = vec4((positionMatrix * vec3(corner, 1.0)).xy, 0.0, 1.0);
}
