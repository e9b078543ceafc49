// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Playhead

/// `playhead effect new NAME`: a file to begin with.
struct EffectNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Writes a file to begin an effect with.",
        discussion: """
            EXAMPLES:
              playhead effect new glow
              playhead play film.mp4 --effect glow.fs
            """)

    @Argument(help: "What it is to be called; written to NAME.fs, which must not be there.")
    var name: String

    func run() throws {
        let path = name.hasSuffix(".fs") ? name : name + ".fs"
        guard path != ".fs", !path.hasSuffix("/.fs") else {
            throw ToolError(.wrongUsage, "'\(name)': it has no name; write one, such as glow")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ToolError(.wrongUsage, "\(path): is there already; choose another name")
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
