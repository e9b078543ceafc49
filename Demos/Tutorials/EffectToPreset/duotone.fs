/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Replaces the colours by two, one for shadows and one for highlights",
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" },
        { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
          "DEFAULT": 1.0, "MIN": 0.0, "MAX": 1.0 },
        { "NAME": "shadows", "LABEL": "Shadows", "TYPE": "color",
          "DEFAULT": [0.1, 0.1, 0.4, 1.0] },
        { "NAME": "highlights", "LABEL": "Highlights", "TYPE": "color",
          "DEFAULT": [1.0, 0.85, 0.6, 1.0] }
    ]
}*/

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
    vec3 duotone = mix(shadows.rgb, highlights.rgb, luma);
    gl_FragColor = vec4(mix(source.rgb, duotone, amount), source.a);
}
