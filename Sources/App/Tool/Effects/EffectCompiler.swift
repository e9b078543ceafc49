// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A compiler that checks the shaders of effects.
protocol EffectCompiler {
    /// The name of the compiler, for messages.
    var name: String { get }

    /// Returns errors and warnings about an effect.
    func diagnostics(of effect: Effect) -> [ShaderDiagnostic]
}

/// The compiler of the OpenGL driver, in a context without a display.
struct DriverCompiler: EffectCompiler {
    private let context: HeadlessContext
    var name: String { context.capabilities.renderer }

    init() throws {
        context = try HeadlessContext()
    }

    func diagnostics(of effect: Effect) -> [ShaderDiagnostic] {
        let renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context),
            pool: FramebufferPool(context: context), images: TextureCache(context: context))
        guard let error = renderer.compile(EffectInstance(effect)) else { return [] }
        if case .compilation(_, let diagnostics) = error { return diagnostics }
        return [ShaderDiagnostic(path: effect.path, message: error.description)]
    }
}

/// Khronos's reference compiler, which runs as a separate program.
struct GLSLangCompiler: EffectCompiler {
    private let program: String
    var name: String { "glslang" }

    /// Creates the compiler; nil if the program is not installed.
    init?() {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let found = folders.lazy.flatMap { ["\($0)/glslangValidator", "\($0)/glslang"] }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return nil }
        program = found
    }

    func diagnostics(of effect: Effect) -> [ShaderDiagnostic] {
        for shader in EffectShader.all(of: effect) {
            let stage = shader.isCompute ? "comp" : shader.stage == .vertex ? "vert" : "frag"
            guard let log = log(of: shader.text, stage: stage) else { continue }
            // As in OpenGL, a shader may also follow the rules of newer versions of GLSL; if it
            // fails there too, the errors of the older version are reported. GLSL 4.20 is tried
            // because glslang supports some extension functions only in the versions that include
            // them.
            let lenient = shader.lenientText
            let newer = lenient.replacing("#version 330 core", with: "#version 420 core")
            if [lenient, newer].contains(where: { self.log(of: $0, stage: stage) == nil }) {
                continue
            }
            return shader.diagnostics(log: log)
        }
        return []
    }

    /// Returns the compiler's log for a source text, or nil if the text compiles.
    private func log(of text: String, stage: String) -> String? {
        let process = Process()
        process.executableURL = URL(filePath: program)
        // The stage is linked by itself, so that a shader without a `main` is an error.
        process.arguments = ["--stdin", "-l", "-S", stage]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = output
        do {
            try process.run()
            // The process reads all input before it writes output.
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try input.fileHandleForWriting.close()
        } catch {
            return "\(program) cannot be run: \(error)"
        }
        let log = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : String(decoding: log, as: UTF8.self)
    }
}
