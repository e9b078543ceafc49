// SPDX-License-Identifier: Apache-2.0
//
// One of many layers: maps the unit square to the drawn part of the layer's plane, and the plane
// to clip space.
//
// Attributes, one set for each layer except for the corner:
//   map0, map1, map2: columns of the map from the plane's pixels to clip space: x, y and weight;
//   the fourth components are opacity, corner radius and the mask's corner radius;
//   picture:   the rectangle of the content in the plane: x, y, width, height
//   bounds:    the layer's bounds, which clip it
//   mask:      the mask's rectangle
//   textureX:  origin and right of the content in its texture; textureY: down, then the distance
//              that the square is drawn beyond its edges, in x and y
//   tint:      a colour, for layers without a texture
//   options:   kind of the mask: 0 none, 1 rounded rectangle, 2 ellipse

layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 map0;
layout(location = 2) in vec4 map1;
layout(location = 3) in vec4 map2;
layout(location = 4) in vec4 picture;
layout(location = 5) in vec4 bounds;
layout(location = 6) in vec4 mask;
layout(location = 7) in vec4 textureX;
layout(location = 8) in vec4 textureY;
layout(location = 9) in vec4 tint;
layout(location = 10) in vec4 options;

out vec2 place;
flat out vec4 layerPicture;
flat out vec4 layerBounds;
flat out vec4 layerMask;
flat out vec4 layerTextureX;
flat out vec2 layerTextureY;
flat out vec4 layerTint;
// Opacity, corner radius (negative if the group is clipped at the bounds instead of the layer), the
// mask's corner radius, kind of the mask.
flat out vec4 layerOptions;

void main() {
    layerPicture = picture;
    layerBounds = bounds;
    layerMask = mask;
    layerTextureX = textureX;
    layerTextureY = textureY.xy;
    layerTint = tint;
    layerOptions = vec4(map0.w, map1.w, map2.w, options.x);
    vec2 lowest = max(picture.xy, bounds.xy);
    vec2 highest = min(picture.xy + picture.zw, bounds.xy + bounds.zw);
    if (options.x > 0.5) {
        // A layer may be a hundred times as large as its mask. Only the part in the mask is drawn.
        lowest = max(lowest, mask.xy);
        highest = max(min(highest, mask.xy + mask.zw), lowest);
    }
    place = mix(lowest - textureY.zw, highest + textureY.zw, corner);
    vec3 seen = map0.xyz * place.x + map1.xyz * place.y + map2.xyz;
    gl_Position = vec4(seen.xy, 0.0, seen.z);
}
