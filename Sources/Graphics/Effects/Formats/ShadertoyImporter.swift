// SPDX-License-Identifier: Apache-2.0

/// Imports shaders from Shadertoy: a file with a function `mainImage`, a file with a `main` that
/// uses Shadertoy's names, or a folder with a file for each tab.
///
/// A single file reads the video as `iChannel0` and the audio spectrum as `iChannel1`. In a folder,
/// the tabs are the files `Image`, `Buffer A` … `Buffer D` and `Common`, with any extension and
/// with or without the space. Lines in a tab define the images that it reads, as in Visual Studio
/// Code's Shader Toy extension:
///
///     #iChannel0 "self"            the content of this buffer in the last frame
///     #iChannel1 "Buffer A"        that buffer; its last frame if it comes later
///     #iChannel2 "video"           the video; "audio" for the audio spectrum
///     #iChannel3 "noise.png"       an image in the folder
///     #iChannel3 "keyboard"        the keys: a row each for held, pressed and toggled
///     #iChannel3 "sky_{}.png"      six images of a cube map; {} stands for px nx py ny pz nz
///     #iChannel3::Type "CubeMap"
///     #iChannel3::WrapMode "Repeat"
///     #iChannel3::MinFilter "Nearest"
///     #iUniform float amount = 1.0 in { 0.0, 2.0 }
///     #iKeyboard                   functions such as isKeyDown(Key_A)
///
/// Declared uniforms become inputs, as in GLSL. Shadertoy's own uniforms may be declared, but need
/// not be.
///
/// - Corresponds to: https://www.shadertoy.com/howto.
package enum ShadertoyImporter {
    /// Creates an effect from the text of a single file.
    ///
    /// - Throws: `EffectError.unsupported`, `.beyondLimit`, `.inaccessible`.
    package static func effect(
        text: String, path: String, folder: EffectFolder? = nil
    ) throws(EffectError) -> Effect {
        try effect(
            tabs: [try Tab(name: "Image", text: text, path: path)], path: path, folder: folder)
    }

    /// Creates an effect from tabs with their names, such as `Image` and `Buffer A`.
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

    /// Returns the tab of a file name: `Image`, `Common`, or `Buffer A` … `Buffer D`; nil for other
    /// names.
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

    /// A tab with its channels.
    private struct Tab {
        let name: String
        let path: String
        /// The text without channel directives and uniforms.
        var text = ""
        /// The inputs that the author declares.
        var inputs: [EffectInput] = []
        /// The names of images by channel, each with its file and line.
        var sources: [Int: (name: String, path: String, line: Int)] = [:]
        var nearest: Set<Int> = []
        var repeated: Set<Int> = []
        /// The channels that are cube maps.
        var cubes: Set<Int> = []
        /// A Boolean value that indicates whether the tab uses the functions of the keyboard.
        var usesKeyboard = false
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
                } else if let directive = ShaderText.directive(line), directive.name == "iKeyboard"
                {
                    usesKeyboard = true
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
                        "there is no image for '\(declaration.name)'; the images are iChannel0 to "
                        + "iChannel3, which lines such as '#iChannel1 \"noise.png\"' "
                        + "define"
                )
            }
        }

        /// Takes the channels that another tab defines and this one does not.
        mutating func adoptChannels(of other: Tab) {
            for (channel, source) in other.sources where sources[channel] == nil {
                sources[channel] = source
                if other.nearest.contains(channel) { nearest.insert(channel) }
                if other.repeated.contains(channel) { repeated.insert(channel) }
                if other.cubes.contains(channel) { cubes.insert(channel) }
            }
        }

        /// Converts the extension's `float name = 1.0 in { 0.0, 2.0 }` and `color3 name =
        /// color3(1.0)` to GLSL in one line.
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
            case "":
                sources[channel] = (value, path, line)
                if ShaderText.firstRange(of: "{}", in: value) != nil { cubes.insert(channel) }
            case "::Type":
                guard ["CubeMap", "Texture2D"].contains(value) else {
                    throw .unsupported(
                        path: path, line: line,
                        reason: "'#iChannel\(channel)::Type \"\(value)\"' is not supported; use "
                            + "Texture2D or CubeMap")
                }
                if value == "CubeMap" { cubes.insert(channel) }
            case "::WrapMode": if value != "Clamp" { repeated.insert(channel) }
            case "::MinFilter", "::MagFilter":
                if value.hasPrefix("Nearest") { nearest.insert(channel) }
            default:
                throw .unsupported(
                    path: path, line: line,
                    reason: "'#iChannel\(channel)\(key)' is not supported; use a name in "
                        + "quotation marks, ::Type, ::WrapMode, ::MinFilter or ::MagFilter")
            }
        }
    }

    private static func effect(
        tabs: [Tab], path: String, folder: EffectFolder?
    ) throws(EffectError) -> Effect {
        let includes = IncludeExpander(folder: folder)
        guard tabs.contains(where: { $0.name == "Image" }) else {
            throw .unsupported(
                path: path, line: nil, reason: "a Shadertoy folder needs a tab 'Image'")
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
        for var tab in buffers + tabs.filter({ $0.name == "Image" }) {
            for other in tabs where other.name == "Common" { tab.adoptChannels(of: other) }
            let body = try includes.expand(
                ShaderSource(text: tab.text, path: tab.path, firstLine: 1))
            // What the common tab and included files read, every tab reads.
            func mentions(_ word: String) -> Bool {
                (common + body).contains { ShaderText.mentions(word, in: $0.text) }
            }
            usesMouse = usesMouse || mentions("iMouse")
            let used = channels.filter { mentions("iChannel\($0)") }
            var bindings: [EffectPass.Binding] = []
            for channel in used {
                bindings.append(
                    try pictures.binding(
                        channel, of: tab, in: tabs, isSingle: tabs.count == 1, folder))
            }
            let usesKeyboard =
                (common.isEmpty ? [tab] : tabs.filter { $0.name == "Common" } + [tab])
                .contains(where: \.usesKeyboard)
            if usesKeyboard {
                bindings.append(
                    EffectPass.Binding(
                        sampler: "iKeyboard", picture: EffectKeyboard.picture, isNearest: true))
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
                [
                    .generated(
                        prologue + (usesKeyboard ? EffectKeyboard.functions : "")
                            + (hasMain ? "#define main playheadMain\n" : ""))
                ] + common
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
        effect.cubeMaps = pictures.cubeMaps
        effect.readsKeyboard = passes.contains {
            $0.bindings.contains { $0.picture == EffectKeyboard.picture }
        }
        try SourceLimits.check(effect.shaders, vertex: effect.vertex)
        for shader in shaders { try ShaderVaryings.check(shader) }
        return effect
    }

    /// The images of the channels of all tabs.
    private struct Pictures {
        var inputs: [EffectInput] = []
        var images: [Effect.ImportedImage] = []
        var cubeMaps: [EffectCubeMap] = []

        mutating func binding(
            _ channel: Int, of tab: Tab, in tabs: [Tab], isSingle: Bool, _ folder: EffectFolder?
        ) throws(EffectError) -> EffectPass.Binding {
            // Channels without a directive get the image that most shaders on the site use for
            // them.
            let fallback =
                switch channel {
                case 0: "video"
                case 1 where isSingle: "audio"
                default: ""
                }
            let source = tab.sources[channel] ?? (fallback, tab.path, 0)
            if tab.cubes.contains(channel) {
                return EffectPass.Binding(
                    sampler: "iChannel\(channel)",
                    picture: try cubeMap(
                        source, isNearest: tab.nearest.contains(channel), folder))
            }
            let picture: String
            var isNearest = tab.nearest.contains(channel)
            switch source.name {
            case "keyboard":
                picture = EffectKeyboard.picture
                isNearest = true
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
                            path: source.path, line: source.line,
                            reason: "there is no tab '\(name)'")
                    }
                    picture = buffer.target
                } else {
                    picture = "image\(images.count)"
                    images.append(
                        Effect.ImportedImage(
                            name: picture, path: file, line: source.line, file: source.path))
                }
            }
            return EffectPass.Binding(
                sampler: "iChannel\(channel)", picture: picture,
                isNearest: isNearest,
                isRepeated: tab.repeated.contains(channel))
        }

        /// The names of the faces +x, -x, +y, -y, +z and -z, as in Visual Studio Code's extension.
        private static let faceNames = [
            ["px", "nx", "py", "ny", "pz", "nz"],
            ["posx", "negx", "posy", "negy", "posz", "negz"],
            ["e", "w", "u", "d", "n", "s"],
            ["east", "west", "up", "down", "north", "south"],
        ]

        /// Adds the six files of a cube map, and returns the name of the cube map.
        private mutating func cubeMap(
            _ source: (name: String, path: String, line: Int), isNearest: Bool,
            _ folder: EffectFolder?
        ) throws(EffectError) -> String {
            let (pattern, line) = (source.name, source.line)
            let path = pattern.hasPrefix("file://") ? String(pattern.dropFirst(7)) : pattern
            guard let hole = ShaderText.firstRange(of: "{}", in: path) else {
                throw .unsupported(
                    path: source.path, line: line == 0 ? nil : line,
                    reason: "a cube map needs six files: '\(pattern)' must contain '{}', which "
                        + "stands for px, nx, py, ny, pz and nz")
            }
            func file(_ face: String) -> String {
                String(path[..<hole.lowerBound]) + face + String(path[hole.upperBound...])
            }
            let names =
                Self.faceNames.first { names in
                    (try? folder?.locate(file(names[0]), from: source.path, line: line)) != nil
                } ?? Self.faceNames[0]
            let name = "cube\(cubeMaps.count)"
            var faces: [String] = []
            for face in names {
                faces.append("image\(images.count)")
                images.append(
                    Effect.ImportedImage(
                        name: "image\(images.count)", path: file(face), line: line,
                        file: source.path))
            }
            cubeMaps.append(EffectCubeMap(name: name, faces: faces, isNearest: isNearest))
            return name
        }

        private mutating func add(_ input: EffectInput) {
            if !inputs.contains(where: { $0.name == input.name }) { inputs.append(input) }
        }
    }

    /// The uniforms that the site declares for every shader.
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

    /// Returns the end of the text, which calls the author's function.
    ///
    /// - Parameter hasMain: A Boolean value that indicates whether the shader has its own `main`,
    ///   which Visual Studio Code's Shader Toy extension allows.
    private static func epilogue(channels: [Int], isImage: Bool, hasMain: Bool) -> String {
        var text = hasMain ? "#undef main\nvoid main() {\n" : "void main() {\n"
        for channel in channels {
            text +=
                "    iChannelResolution[\(channel)] = vec3(IMG_SIZE(iChannel\(channel)), 1.0);\n"
            text += "    iChannelTime[\(channel)] = playheadTIME;\n"
        }
        if hasMain { return text + "    playheadMain();\n}\n" }
        // The names have a prefix, so that no macro of the author replaces them.
        let name = "playheadColor"
        text += "    vec4 \(name) = vec4(0.0);\n    mainImage(\(name), gl_FragCoord.xy);\n"
        // On the site the output is opaque, and most shaders leave alpha undefined.
        return text + "    gl_FragColor = \(isImage ? "vec4(\(name).rgb, 1.0)" : name);\n}\n"
    }
}
