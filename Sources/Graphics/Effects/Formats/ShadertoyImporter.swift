// SPDX-License-Identifier: Apache-2.0

/// Reads shaders of Shadertoy: a file with a function `mainImage`, or a folder with a file for each of
/// the site's tabs.
///
/// A single file reads the film as `iChannel0` and the sound's spectrum as `iChannel1`. In a folder,
/// `Image`, `Buffer A` … `Buffer D` and `Common`, with any ending and with or without the space, are
/// the tabs; which picture a tab reads is said by lines in it, as the Shader Toy extension of Visual
/// Studio Code has them:
///
///     #iChannel0 "self"            what this buffer held in the last frame
///     #iChannel1 "Buffer A"        that buffer; its last frame if it comes later
///     #iChannel2 "video"           the film; "audio" for the sound's spectrum
///     #iChannel3 "noise.png"       a picture in the folder
///     #iChannel3::WrapMode "Repeat"
///     #iChannel3::MinFilter "Nearest"
///
/// - Corresponds to: https://www.shadertoy.com/howto.
public enum ShadertoyImporter {
    /// Reads a single file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    public static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        try effect(
            tabs: [try Tab(name: "Image", text: text, path: path)], path: path, folder: folder)
    }

    /// The text of each tab by its name, such as `Image` and `Buffer A`.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    public static func effect(
        tabs: [(name: String, text: String, path: String)], path: String,
        folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        var read: [Tab] = []
        for tab in tabs {
            read.append(try Tab(name: tab.name, text: tab.text, path: tab.path))
        }
        return try effect(tabs: read, path: path, folder: folder)
    }

    /// The tab that a file's name stands for: `Image`, `Common`, `Buffer A` … `Buffer D`; nil for none.
    public static func tab(ofFileName name: String) -> String? {
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
        /// Without the lines about channels.
        var text = ""
        /// By channel.
        var sources: [Int: (name: String, line: Int)] = [:]
        var nearest: Set<Int> = []
        var repeated: Set<Int> = []
        var target: String { "buffer" + name.suffix(1) }

        init(name: String, text: String, path: String) throws(EffectError) {
            self.name = name
            self.path = path
            try ISFImporter.Limits.check(text, path: path, firstLine: 1)
            for (index, line) in ShaderText.lines(text).enumerated() {
                if let directive = ShaderText.directive(line),
                    directive.name.hasPrefix("iChannel"),
                    let channel = Int(directive.name.dropFirst(8)), channels.contains(channel)
                {
                    try read(channel, directive.rest, line: index + 1)
                    self.text += ShaderText.disabled(line) + "\n"
                } else {
                    self.text += line + "\n"
                }
            }
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
        var common: [Effect.Source] = []
        for tab in tabs where tab.name == "Common" {
            common += try includes.expand(
                Effect.Source(text: tab.text, path: tab.path, firstLine: 1))
        }
        var passes: [EffectPass] = []
        var shaders: [[Effect.Source]] = []
        var pictures = Pictures()
        let buffers = tabs.filter { $0.name.hasPrefix("Buffer") }.sorted { $0.name < $1.name }
        for tab in buffers + tabs.filter({ $0.name == "Image" }) {
            let used = channels.filter { ShaderText.mentions("iChannel\($0)", in: tab.text) }
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
            let body = try includes.expand(
                Effect.Source(text: tab.text, path: tab.path, firstLine: 1))
            shaders.append(
                [.generated(prologue)] + common + body
                    + [.generated(epilogue(channels: used, isImage: isImage))])
        }
        var effect = Effect(
            name: EffectLibrary.name(ofPath: path), path: path, format: .shadertoy,
            inputs: pictures.inputs, shaders: shaders)
        if tabs.contains(where: { ShaderText.mentions("iMouse", in: $0.text) }) {
            var mouse = EffectInput(name: "mouse", kind: .point2D)
            mouse.label = "Mouse, from 0 to 1"
            effect.inputs.append(mouse)
        }
        effect.passes = passes
        effect.importedImages = pictures.images
        try ISFImporter.Limits.check(effect)
        return effect
    }

    /// What channels lead to, gathered over all tabs.
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
                        Effect.ImportedImage(name: picture, path: file, line: source.line))
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
        #define iResolution vec3(RENDERSIZE, 1.0)
        #define iTime TIME
        #define iGlobalTime TIME
        #define iTimeDelta TIMEDELTA
        #define iFrameRate (TIMEDELTA > 0.0 ? 1.0 / TIMEDELTA : 60.0)
        #define iFrame FRAMEINDEX
        #define iDate DATE
        #define iMouse vec4(mouse * RENDERSIZE, mouse * RENDERSIZE)
        #define iSampleRate 48000.0
        vec3 iChannelResolution[4];
        float iChannelTime[4];

        """

    private static func epilogue(channels: [Int], isImage: Bool) -> String {
        var text = "void main() {\n"
        for channel in channels {
            text +=
                "    iChannelResolution[\(channel)] = vec3(IMG_SIZE(iChannel\(channel)), 1.0);\n"
            text += "    iChannelTime[\(channel)] = TIME;\n"
        }
        text += "    vec4 color = vec4(0.0);\n    mainImage(color, gl_FragCoord.xy);\n"
        // The site's picture is opaque, and most shaders leave their alpha to chance.
        return text + "    gl_FragColor = \(isImage ? "vec4(color.rgb, 1.0)" : "color");\n}\n"
    }
}
