// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The program `playhead`.
struct PlayheadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playhead", abstract: "Play and process video with OpenGL and shader effects.",
        discussion: """
            EXAMPLES:
              playhead                               play the built-in clip
              playhead film.mp4                      play a video in a window
              playhead film.mp4 --effect chroma_key  with an effect
              playhead inspect film.mp4              show tracks and formats
              playhead doctor                        check OpenGL, audio and codecs

            EXIT STATUS: 0 success; 1 wrong usage; 2 the input cannot be opened or decoded; \
            3 no OpenGL or no display; 4 an effect does not compile.
            """,
        version: """
            playhead \(Version.text)
            FFmpeg \(FFmpegCodecs.versionText)
            OpenGL, audio and codecs of this machine: playhead doctor
            """,
        subcommands: [
            PlayCommand.self, InspectCommand.self, SnapshotCommand.self, FramesCommand.self,
            RenderCommand.self, CutCommand.self, EffectCommand.self, AtlasCommand.self,
            DevicesCommand.self,
            DoctorCommand.self, DocumentsCommand.self,
        ], defaultSubcommand: PlayCommand.self)
}
