/*{
    "ISFVSN": "2",
    "DESCRIPTION": "Removes the colours",
    "INPUTS": [
        { "NAME": "inputImage", "TYPE": "image" }
    ]
}*/

void main() {
    vec4 source = IMG_THIS_PIXEL(inputImage);
    float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
    gl_FragColor = vec4(vec3(luma), source.a);
}
