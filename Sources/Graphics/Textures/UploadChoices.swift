// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import Synchronization

/// The fastest upload method for each driver and each kind of frame. The choices apply to the whole
/// program.
///
/// - Concurrency: any thread, under a short lock.
package enum UploadChoices {
    /// A driver and a kind of frame.
    package struct Key: Sendable, Hashable {
        /// The driver's renderer: `GL_RENDERER`.
        package var renderer: String
        /// The driver's version: `GL_VERSION`.
        package var version: String
        /// The name of the frames' format.
        package var format: String
        package var width: Int
        package var height: Int
        /// A Boolean value that indicates whether the context may map memory. A host's context may
        /// not, even with the same driver.
        package var canMap: Bool
    }

    private static let outcomes = Mutex<[Key: UploadTrial.Outcome]>([:])

    /// Returns the outcome of a trial in this run of the program, or in an earlier run whose
    /// outcomes were added by `load`.
    package static func outcome(for key: Key) -> UploadTrial.Outcome? {
        outcomes.withLock { $0[key] }
    }

    /// The outcomes of all trials.
    package static var all: [Key: UploadTrial.Outcome] { outcomes.withLock { $0 } }

    static func note(_ outcome: UploadTrial.Outcome, for key: Key) {
        outcomes.withLock { $0[key] = outcome }
    }

    /// The outcomes of all trials as text, with one line for each. The text can be stored for the
    /// next run of the program.
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

    /// Adds the outcomes of an earlier run. Malformed lines are skipped.
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
