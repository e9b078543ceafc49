// SPDX-License-Identifier: Apache-2.0

/// A trial that determines the fastest upload method. It runs while frames are uploaded for
/// display: the first frames are uploaded with alternating methods, and timed.
///
/// The best times of the methods are compared, because load on the machine can only make times
/// longer. A method that takes more memory must be faster by a tenth.
///
/// - Concurrency: a value.
package struct UploadTrial: Sendable, Hashable {
    /// The result of a trial.
    package struct Outcome: Sendable, Hashable {
        /// The method that is used from now on.
        package var choice: PictureUpload
        /// The best time of each method, on the render thread, in nanoseconds.
        package var nanoseconds: [PictureUpload: Int64]

        /// A Boolean value that indicates whether the ring is faster than the direct method. This
        /// matters for frames that are not in mapped memory.
        package var isRingFaster: Bool {
            guard let ring = nanoseconds[.ring], let direct = nanoseconds[.direct] else {
                return false
            }
            return Double(ring) < Double(direct) * UploadTrial.advantage
        }
    }

    /// The number of uploads with each method. The first upload is not timed, because it creates
    /// objects that the later uploads use.
    private static let rounds = 4
    fileprivate static let advantage = 0.9
    /// The maximum number of frames that a trial takes.
    static let longest = PictureUpload.allCases.count * rounds

    private let candidates: [PictureUpload]
    private var best: [PictureUpload: Int64] = [:]
    private var count = 0

    /// Creates a trial.
    ///
    /// - Parameter candidates: the methods to compare, with the simplest first.
    package init(_ candidates: [PictureUpload]) {
        self.candidates = candidates
    }

    /// The method for the upload of the next frame; nil when the trial is complete.
    package var next: PictureUpload? {
        count < candidates.count * Self.rounds ? candidates[count % candidates.count] : nil
    }

    /// Records the duration of an upload with the method `next`, and advances `next`.
    package mutating func note(nanoseconds: Int64) {
        guard let way = next else { return }
        if count >= candidates.count {
            best[way] = min(best[way] ?? .max, nanoseconds)
        }
        count += 1
    }

    /// Records that the method `next` is not available, and advances `next`.
    package mutating func noteFailure() {
        if next != nil { count += 1 }
    }

    /// The result; nil until the trial is complete.
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
