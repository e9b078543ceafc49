// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadEditing
import PlayheadUI

/// `prove video-composition [DIR …]`: pictures of video compositions are the same wherever they are
/// drawn, and both videos run during transitions.
struct VideoCompositionProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "video-composition",
        abstract: "Pictures of video compositions are equal however they are drawn.")

    @Argument(help: "Folders with transitions: gl-transitions, ISF.")
    var folders: [String] = []

    @Flag(help: "Four compositions, and every tenth transition.")
    var short = false

    @Option(help: "The first seed, one for each composition.")
    var seed: UInt64 = 1

    func run() async throws {
        for folder in folders where ConformanceSubject.all(below: folder).isEmpty {
            throw CannotProve("video-composition: \(folder): there are no effects")
        }
        var report = Report("video-composition")
        let folder = TemporaryFolder()
        var equality = CompositionEquality(folder: folder)
        try await equality.compare(count: short ? 4 : 20, seed: seed, &report)
        var requests = RandomRequests(seed: seed)
        try await requests.run(count: short ? 500 : 10_000, &report)
        if !folders.isEmpty {
            let subjects = folders.flatMap { ConformanceSubject.all(below: $0) }
            try RunningTransitions().check(subjects.map(\.path), short: short, &report)
        }
        try report.finish()
    }
}
