// SPDX-License-Identifier: Apache-2.0

import PlayheadShaders

/// Makes GLSL 3.30 out of an effect's shader text: declares what ISF promises, in front of it.
///
/// The author's text keeps its line and column numbers: `#line` precedes it, and the one name that
/// has to change, `gl_FragColor`, gives way to one of the same length.
struct ISFSource {
    let effect: Effect
    /// How the film's own chroma is read; nil where there is none to read.
    let chromaViewCount: Int?
    /// The pass that the shader is compiled for; nil for all of them.
    let passIndex: Int?

    /// The fragment shader's output.
    static let output = "isfFragColor"

    /// Files of the source string numbers, for reading the compiler's log.
    var fragmentPaths: [String] { [effect.fragment.path, "ISF", "chroma.glsl"] }
    var vertexPaths: [String] { [effect.vertex?.path ?? "ISF", "ISF"] }

    var fragment: String {
        var text = "#version 330 core\n#line 1 1\n" + Self.common + passDeclaration
        text += """
            #define varying in
            in vec2 isf_FragNormCoord;
            out vec4 \(Self.output);

            """
        text += declarations
        if let chromaViewCount {
            text += "#define PLAYHEAD_NATIVE_CHROMA 1\n#define PICTURE_VIEWS \(chromaViewCount)\n"
            text += "#line 1 2\n" + ShaderLibrary.text("chroma.glsl") + "\n"
        }
        text += "#line \(effect.fragment.firstLine) 0\n"
        text += Self.replacing("gl_FragColor", by: Self.output, in: effect.fragment.text)
        return text + "\n"
    }

    var vertex: String {
        var text = "#version 330 core\n#line 1 1\n" + Self.common + passDeclaration
        text += """
            #define varying out
            layout(location = 0) in vec2 isf_corner;
            out vec2 isf_FragNormCoord;
            void isf_vertShaderInit() {
                isf_FragNormCoord = isf_corner;
                gl_Position = vec4(isf_corner * 2.0 - 1.0, 0.0, 1.0);
            }
            #define vv_vertShaderInit isf_vertShaderInit

            """
        text += declarations
        if let vertex = effect.vertex {
            text += "#line \(vertex.firstLine) 0\n" + vertex.text + "\n"
        } else {
            text += "void main() { isf_vertShaderInit(); }\n"
        }
        return text
    }

    /// What ISF gives every shader. Pictures here always fill their textures and stand upright.
    private static let common = """
        #define PLAYHEAD 1
        #define vv_FragNormCoord isf_FragNormCoord
        #define texture2D texture
        #define IMG_SIZE(image) vec2(textureSize(image, 0))
        #define IMG_NORM_PIXEL(image, coordinate) texture(image, coordinate)
        #define IMG_PIXEL(image, pixel) texture(image, (pixel) / IMG_SIZE(image))
        #define IMG_THIS_NORM_PIXEL(image) texture(image, isf_FragNormCoord)
        #define IMG_THIS_PIXEL(image) texture(image, isf_FragNormCoord)
        uniform vec2 RENDERSIZE;
        uniform float TIME;
        uniform float TIMEDELTA;
        uniform vec4 DATE;
        uniform int FRAMEINDEX;

        """

    /// The names that the shader reads pictures by, in the order of their samplers.
    static func samplerNames(of effect: Effect) -> [String] {
        var names = effect.inputs.filter(\.isSampler).map(\.name)
        names += effect.importedImages.map(\.name)
        for target in effect.passes.compactMap(\.target) where !names.contains(target) {
            names.append(target)
        }
        return names
    }

    private var passDeclaration: String {
        passIndex.map { "const int PASSINDEX = \($0);\n" } ?? "uniform int PASSINDEX;\n"
    }

    private var declarations: String {
        var text = ""
        for input in effect.inputs where !input.isSampler {
            let type =
                switch input.kind {
                case .event, .bool: "bool"
                case .long: "int"
                case .float: "float"
                case .point2D: "vec2"
                case .color: "vec4"
                case .image, .audio, .audioFFT: "sampler2D"
                }
            text += "uniform \(type) \(input.name);\n"
        }
        for name in Self.samplerNames(of: effect) {
            text += """
                uniform sampler2D \(name);
                #define _\(name)_imgRect vec4(0.0, 0.0, 1.0, 1.0)
                #define _\(name)_imgSize IMG_SIZE(\(name))
                #define _\(name)_flip false

                """
        }
        return text
    }

    /// Replaces a word where it stands alone.
    static func replacing(_ word: String, by replacement: String, in text: String) -> String {
        let source = Array(text.utf8)
        let word = Array(word.utf8)
        func isWord(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            let end = index + word.count
            if source[index] == word[0], end <= source.count,
                source[index..<end].elementsEqual(word),
                index == 0 || !isWord(source[index - 1]),
                end == source.count || !isWord(source[end])
            {
                result.append(contentsOf: replacement.utf8)
                index = end
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
