// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import Synchronization

/// Which way of uploading was found to be quickest, for each driver and each kind of picture, for the
/// whole program.
///
/// - Concurrency: any thread, under a short lock.
package enum UploadChoices {
    /// A driver, and a kind of picture.
    package struct Key: Sendable, Hashable {
        /// `GL_RENDERER`.
        package var renderer: String
        /// `GL_VERSION`.
        package var version: String
        /// The pictures' format by name.
        package var format: String
        package var width: Int
        package var height: Int
        /// Whether the context may map memory: a host's may not, with the same driver.
        package var canMap: Bool
    }

    private static let outcomes = Mutex<[Key: UploadTrial.Outcome]>([:])

    /// What was found out, in this run of the program or, by `load`, in another.
    package static func outcome(for key: Key) -> UploadTrial.Outcome? {
        outcomes.withLock { $0[key] }
    }

    /// All that was found out.
    package static var all: [Key: UploadTrial.Outcome] { outcomes.withLock { $0 } }

    static func note(_ outcome: UploadTrial.Outcome, for key: Key) {
        outcomes.withLock { $0[key] = outcome }
    }

    /// Everything as text, a line for each, to be kept between runs.
    package static var text: String {
        all.map { key, outcome in
            let times = PictureUpload.allCases.map { way in
                outcome.nanoseconds[way].map(String.init) ?? "-"
            }
            return
                ([
                    key.renderer, key.version, key.format, "\(key.width)", "\(key.height)",
                    key.canMap ? "mappable" : "unmappable", outcome.choice.rawValue,
                ] + times).joined(separator: "\t")
        }.sorted().joined(separator: "\n")
    }

    private static let mappings = ["mappable": true, "unmappable": false]

    /// Takes over what another run has found out; lines that make no sense are passed over.
    package static func load(_ text: some StringProtocol) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 7 + PictureUpload.allCases.count, let width = Int(fields[3]),
                let height = Int(fields[4]), let canMap = mappings[String(fields[5])],
                let choice = PictureUpload(rawValue: String(fields[6])), canMap || choice != .mapped
            else { continue }
            var times: [PictureUpload: Int64] = [:]
            for (way, field) in zip(PictureUpload.allCases, fields[7...]) {
                times[way] = Int64(field)
            }
            note(
                UploadTrial.Outcome(choice: choice, nanoseconds: times),
                for: Key(
                    renderer: String(fields[0]), version: String(fields[1]),
                    format: String(fields[2]), width: width, height: height, canMap: canMap))
        }
    }
}
