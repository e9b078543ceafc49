// SPDX-License-Identifier: Apache-2.0

/// Finds out which way of uploading is quickest, while pictures are uploaded anyway: each of the first
/// ones goes another way, and is timed.
///
/// The best time of a way counts, for a busy machine makes times longer and never shorter. What takes
/// memory besides has to be better by a tenth.
///
/// - Concurrency: a value.
package struct UploadTrial: Sendable, Hashable {
    /// What came out.
    package struct Outcome: Sendable, Hashable {
        /// The way that is taken from now on.
        package var choice: PictureUpload
        /// The best time of each way, on the render thread, in nanoseconds.
        package var nanoseconds: [PictureUpload: Int64]
    }

    /// Uploads by each way, of which the first does not count: it makes what the others use.
    private static let rounds = 4
    private static let advantage = 0.9
    /// Pictures that the longest trial takes.
    static let longest = PictureUpload.allCases.count * rounds

    private let candidates: [PictureUpload]
    private var best: [PictureUpload: Int64] = [:]
    private var count = 0

    /// - Parameter candidates: the simplest first.
    package init(_ candidates: [PictureUpload]) {
        self.candidates = candidates
    }

    /// The way that the next picture goes; nil when all is known.
    package var next: PictureUpload? {
        count < candidates.count * Self.rounds ? candidates[count % candidates.count] : nil
    }

    /// Notes how long an upload by the way that was next took.
    package mutating func note(nanoseconds: Int64) {
        guard let way = next else { return }
        if count >= candidates.count {
            best[way] = min(best[way] ?? .max, nanoseconds)
        }
        count += 1
    }

    /// Notes that the way that was next cannot be gone.
    package mutating func noteFailure() {
        if next != nil { count += 1 }
    }

    /// What came out; nil before the end.
    package var outcome: Outcome? {
        guard next == nil, let simplest = candidates.first else { return nil }
        var choice = simplest
        for way in candidates.dropFirst() {
            guard let time = best[way], let rival = best[choice] else { continue }
            if Double(time) < Double(rival) * Self.advantage { choice = way }
        }
        return Outcome(choice: choice, nanoseconds: best)
    }
}
