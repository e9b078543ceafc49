// SPDX-License-Identifier: Apache-2.0

/// Reads shaders of Shadertoy: a file with a function `mainImage`, or with a `main` that uses the
/// site's names, or a folder with a file for each of the site's tabs.
///
/// A single file reads the film as `iChannel0` and the sound's spectrum as `iChannel1`. In a
/// folder, `Image`, `Buffer A` … `Buffer D` and `Common`, with any ending and with or without the
/// space, are the tabs; which picture a tab reads is said by lines in it, as the Shader Toy
/// extension of Visual Studio Code has them:
///
///     #iChannel0 "self"            what this buffer held in the last frame
///     #iChannel1 "Buffer A"        that buffer; its last frame if it comes later
///     #iChannel2 "video"           the film; "audio" for the sound's spectrum
///     #iChannel3 "noise.png"       a picture in the folder
///     #iChannel3::WrapMode "Repeat"
///     #iChannel3::MinFilter "Nearest"
///     #iUniform float amount = 1.0 in { 0.0, 2.0 }
///
/// Uniforms that are declared become inputs, as in GLSL; those that the site gives need no
/// declaration, and may have one.
///
/// - Corresponds to: https://www.shadertoy.com/howto.
package enum ShadertoyImporter {
    /// Reads a single file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        try effect(
            tabs: [try Tab(name: "Image", text: text, path: path)], path: path, folder: folder)
    }

    /// The text of each tab by its name, such as `Image` and `Buffer A`.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        tabs: [(name: String, text: String, path: String)], path: String,
        folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        var read: [Tab] = []
        for tab in tabs {
            read.append(try Tab(name: tab.name, text: tab.text, path: tab.path))
        }
        return try effect(tabs: read, path: path, folder: folder)
    }

    /// The tab that a file's name stands for: `Image`, `Common`, `Buffer A` … `Buffer D`; nil for
    /// none.
    package static func tab(ofFileName name: String) -> String? {
        let base = name.prefix { $0 != "." }.lowercased().filter { $0.isLetter || $0.isNumber }
        switch base {
        case "image", "main": return "Image"
        case "common": return "Common"
        case "buffera", "bufa": return "Buffer A"
        case "bufferb", "bufb": return "Buffer B"
        case "bufferc", "bufc": return "Buffer C"
        case "bufferd", "bufd": return "Buffer D"
        default: return nil
        }
    }

    private static let channels = 0..<4

    /// A tab, with what it says of its channels.
    private struct Tab {
        let name: String
        let path: String
        /// Without the lines about channels, and without uniforms.
        var text = ""
        /// Uniforms of the author's own.
        var inputs: [EffectInput] = []
        /// By channel.
        var sources: [Int: (name: String, line: Int)] = [:]
        var nearest: Set<Int> = []
        var repeated: Set<Int> = []
        var target: String { "buffer" + name.suffix(1) }

        init(name: String, text: String, path: String) throws(EffectError) {
            self.name = name
            self.path = path
            let text = ShaderText.withLineFeeds(text)
            try SourceLimits.check(text, path: path, firstLine: 1)
            for (index, line) in ShaderText.lines(text).enumerated() {
                if let directive = ShaderText.directive(line),
                    directive.name.hasPrefix("iChannel"),
                    let channel = Int(directive.name.dropFirst(8)), channels.contains(channel)
                {
                    try read(channel, directive.rest, line: index + 1)
                    self.text += ShaderText.disabled(line) + "\n"
                } else if let directive = ShaderText.directive(line), directive.name == "iUniform" {
                    self.text += Self.uniform(directive.rest) + "\n"
                } else {
                    self.text += line + "\n"
                }
            }
            let scanner = try UniformScanner(
                self.text, path: path, firstLine: 1, given: HostUniforms.shadertoy)
            self.text = scanner.text
            inputs = scanner.declarations.compactMap(\.input)
            for declaration in scanner.declarations where declaration.input?.isSampler == true {
                throw .unsupported(
                    path: path, line: declaration.line + 1,
                    reason:
                        "there is no picture for '\(declaration.name)'; pictures are iChannel0 to "
                        + "iChannel3, of which lines such as '#iChannel1 \"noise.png\"' "
                        + "say what they are"
                )
            }
        }

        /// The extension's `float name = 1.0 in { 0.0, 2.0 }` and `color3 name = color3(1.0)` as
        /// GLSL has it, in one line too.
        private static func uniform(_ text: Substring) -> String {
            var code = Array(ShaderText.withoutComments(String(text)).utf8)
            for range in ShaderText.ranges(of: "color3", in: code).reversed() {
                code.replaceSubrange(range, with: "vec3".utf8)
            }
            let text = ShaderText.trimmed(Substring(String(decoding: code, as: UTF8.self)))
            let parts = text.split(separator: "{", maxSplits: 1)
            guard parts.count == 2, let end = parts[1].firstIndex(of: "}"),
                ShaderText.trimmed(parts[0]).hasSuffix(" in")
            else { return "uniform \(text);" }
            let range = parts[1][..<end].split(separator: ",").map { ShaderText.trimmed($0) }
            return "uniform \(ShaderText.trimmed(parts[0]).dropLast(3)); // @slider "
                + range.joined(separator: " ")
        }

        private mutating func read(
            _ channel: Int, _ rest: Substring, line: Int
        ) throws(EffectError) {
            let parts = rest.split(separator: "\"", omittingEmptySubsequences: false)
            let key = ShaderText.trimmed(parts[0])
            let value = parts.count > 1 ? String(parts[1]) : ""
            switch key {
            case "": sources[channel] = (value, line)
            case "::WrapMode": if value != "Clamp" { repeated.insert(channel) }
            case "::MinFilter", "::MagFilter":
                if value.hasPrefix("Nearest") { nearest.insert(channel) }
            default:
                throw .unsupported(
                    path: path, line: line,
                    reason: "'#iChannel\(channel)\(key)' is not supported; a name in quotation "
                        + "marks, ::WrapMode, ::MinFilter and ::MagFilter are")
            }
        }
    }

    private static func effect(
        tabs: [Tab], path: String, folder: EffectFolder?
    ) throws(EffectError) -> Effect {
        let includes = IncludeExpander(folder: folder)
        guard tabs.contains(where: { $0.name == "Image" }) else {
            throw .unsupported(
                path: path, line: nil, reason: "a folder of Shadertoy's needs a tab 'Image'")
        }
        var common: [ShaderSource] = []
        for tab in tabs where tab.name == "Common" {
            common += try includes.expand(
                ShaderSource(text: tab.text, path: tab.path, firstLine: 1))
        }
        var passes: [EffectPass] = []
        var shaders: [[ShaderSource]] = []
        var pictures = Pictures()
        var usesMouse = false
        let buffers = tabs.filter { $0.name.hasPrefix("Buffer") }.sorted { $0.name < $1.name }
        for tab in buffers + tabs.filter({ $0.name == "Image" }) {
            let body = try includes.expand(
                ShaderSource(text: tab.text, path: tab.path, firstLine: 1))
            // What the common tab and included files say of channels, they say in each tab.
            func mentions(_ word: String) -> Bool {
                (common + body).contains { ShaderText.mentions(word, in: $0.text) }
            }
            usesMouse = usesMouse || mentions("iMouse")
            let used = channels.filter { mentions("iChannel\($0)") }
            var bindings: [EffectPass.Binding] = []
            for channel in used {
                bindings.append(
                    try pictures.binding(
                        channel, of: tab, in: tabs, isSingle: tabs.count == 1))
            }
            let isImage = tab.name == "Image"
            passes.append(
                EffectPass(
                    shader: shaders.count, target: isImage ? nil : tab.target,
                    isPersistent: !isImage, precision: isImage ? .eightBit : .float,
                    bindings: bindings))
            let hasMain = body.contains {
                ShaderText.calls("main", in: ShaderText.withoutComments($0.text))
            }
            shaders.append(
                [.generated(prologue + (hasMain ? "#define main playheadMain\n" : ""))] + common
                    + body
                    + [
                        .generated(
                            epilogue(channels: used, isImage: isImage, hasMain: hasMain))
                    ])
        }
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .shadertoy,
            inputs: pictures.inputs, shaders: shaders)
        if usesMouse {
            var mouse = EffectInput(name: "mouse", kind: .point2D)
            mouse.uniformName = "playheadMouse"
            mouse.label = "Mouse, from 0 to 1"
            effect.inputs.append(mouse)
        }
        for input in tabs.flatMap(\.inputs) where effect.input(named: input.name) == nil {
            effect.inputs.append(input)
        }
        effect.passes = passes
        effect.importedImages = pictures.images
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        for shader in shaders { try ShaderVaryings.check(shader) }
        return effect
    }

    /// The images of the channels of all tabs.
    private struct Pictures {
        var inputs: [EffectInput] = []
        var images: [Effect.ImportedImage] = []

        mutating func binding(
            _ channel: Int, of tab: Tab, in tabs: [Tab], isSingle: Bool
        ) throws(EffectError) -> EffectPass.Binding {
            // What is not said is guessed as the site's users most often have it.
            let fallback =
                switch channel {
                case 0: "video"
                case 1 where isSingle: "audio"
                default: ""
                }
            let source = tab.sources[channel] ?? (fallback, 0)
            let picture: String
            switch source.name {
            case "self": picture = tab.target
            case "video":
                picture = "inputImage"
                add(EffectInput(name: picture, kind: .image))
            case "audio":
                picture = "sound"
                add(EffectInput(name: picture, kind: .audioFFT))
            case "":
                picture = "picture\(channel)"
                add(EffectInput(name: picture, kind: .image))
            default:
                let file =
                    source.name.hasPrefix("file://")
                    ? String(source.name.dropFirst(7)) : source.name
                if let name = ShadertoyImporter.tab(ofFileName: file), name.hasPrefix("Buffer") {
                    guard let buffer = tabs.first(where: { $0.name == name }) else {
                        throw .unsupported(
                            path: tab.path, line: source.line, reason: "there is no '\(name)'")
                    }
                    picture = buffer.target
                } else {
                    picture = "image\(images.count)"
                    images.append(
                        Effect.ImportedImage(
                            name: picture, path: file, line: source.line, file: tab.path))
                }
            }
            return EffectPass.Binding(
                sampler: "iChannel\(channel)", picture: picture,
                isNearest: tab.nearest.contains(channel),
                isRepeated: tab.repeated.contains(channel))
        }

        private mutating func add(_ input: EffectInput) {
            if !inputs.contains(where: { $0.name == input.name }) { inputs.append(input) }
        }
    }

    /// The inputs that the site gives every shader.
    private static let prologue = """
        #define iResolution vec3(playheadRENDERSIZE, 1.0)
        #define iTime playheadTIME
        #define iGlobalTime playheadTIME
        #define iTimeDelta playheadTIMEDELTA
        #define iFrameRate (playheadTIMEDELTA > 0.0 ? 1.0 / playheadTIMEDELTA : 60.0)
        #define iFrame playheadFRAMEINDEX
        #define iDate playheadDATE
        #define iMouse (playheadMouse * playheadRENDERSIZE).xyxy
        #define iSampleRate 48000.0
        #define HW_PERFORMANCE 1
        vec3 iChannelResolution[4];
        float iChannelTime[4];

        """

    /// - Parameter hasMain: whether the shader has a `main` of its own, as the Shader Toy extension
    ///   of Visual Studio Code permits.
    private static func epilogue(channels: [Int], isImage: Bool, hasMain: Bool) -> String {
        var text = hasMain ? "#undef main\nvoid main() {\n" : "void main() {\n"
        for channel in channels {
            text +=
                "    iChannelResolution[\(channel)] = vec3(IMG_SIZE(iChannel\(channel)), 1.0);\n"
            text += "    iChannelTime[\(channel)] = playheadTIME;\n"
        }
        if hasMain { return text + "    playheadMain();\n}\n" }
        // Names that no macro of the author's has: it would be put in here.
        let name = "playheadColor"
        text += "    vec4 \(name) = vec4(0.0);\n    mainImage(\(name), gl_FragCoord.xy);\n"
        // The site's picture is opaque, and most shaders leave their alpha to chance.
        return text + "    gl_FragColor = \(isImage ? "vec4(\(name).rgb, 1.0)" : name);\n}\n"
    }
}
