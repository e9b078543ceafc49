// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `playhead effect new NAME`: creates an effect file as a starting point.
struct EffectNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create an effect file as a starting point.",
        discussion: """
            EXAMPLES:
              playhead effect new glow
              playhead play film.mp4 --effect glow.fs
              playhead effect new glow.frag
            """)

    @Argument(
        help: ArgumentHelp(
            "Name of the file, which must not exist. The extension .fs is added, unless the name "
                + "ends in \(Self.endings.map { "." + $0 }.joined(separator: ", "))."))
    var name: String

    /// The file extensions of fragment shaders. The format is detected from the file's contents,
    /// not from the extension.
    private static let endings = ["fs", "isf", "frag", "glsl", "fsh", "fragment", "shader"]
    /// The file extensions of other kinds of effect files, which are rejected for a new shader.
    private static let others = ["vs", "vert", "vsh", "cube", "hook", "json"]

    func run() throws {
        let file = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? parts.last?.lowercased() ?? "" : ""
        let path = Self.endings.contains(ending) ? name : name + ".fs"
        guard !(parts.first ?? "").isEmpty else {
            throw ToolError(
                .wrongUsage, "'\(name)': the file name is empty; use a name such as glow")
        }
        guard !Self.others.contains(ending) else {
            throw ToolError(
                .wrongUsage,
                "'\(name)': .\(ending) is not an extension of ISF fragment shaders; "
                    + "use \(name.dropLast(ending.count + 1)).fs")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ToolError(.wrongUsage, "\(path): the file already exists; choose another name")
        }
        try OutputFile.check(path)
        try OutputFile.write(Self.template, to: path)
        Console.print("\(path): try: playhead play FILM --effect \(path.shellWord)")
    }

    private static let template = """
        /*{
            "ISFVSN": "2",
            "DESCRIPTION": "Turns the picture's colours towards a tint",
            "CREDIT": "",
            "CATEGORIES": ["Colour"],
            "INPUTS": [
                { "NAME": "inputImage", "TYPE": "image" },
                { "NAME": "amount", "LABEL": "Amount", "TYPE": "float",
                  "DEFAULT": 0.5, "MIN": 0.0, "MAX": 1.0, "IDENTITY": 0.0 },
                { "NAME": "tint", "LABEL": "Tint", "TYPE": "color",
                  "DEFAULT": [1.0, 0.6, 0.2, 1.0] }
            ]
        }*/

        void main() {
            vec4 source = IMG_THIS_PIXEL(inputImage);
            float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
            gl_FragColor = vec4(mix(source.rgb, luma * tint.rgb, amount), source.a);
        }

        """
}
