// SPDX-License-Identifier: Apache-2.0
//
// One colour all over, premultiplied by its alpha.

uniform vec4 color;
out vec4 fragmentColor;

void main() {
    fragmentColor = color;
}
