// SPDX-License-Identifier: Apache-2.0

/// A time stretcher that plays audio at another rate with its original pitch.
///
/// The output consists of unchanged pieces of the input, each about 24 ms long, that are
/// cross-faded. At twice the rate, every second piece is left out; at half the rate, every piece is
/// played twice. Each piece starts near its nominal place, at a point where it continues the
/// previous piece well. This technique is WSOLA, waveform-similarity overlap-add.
///
/// This stretcher differs from plain WSOLA in two ways. First, each call states the frame that is
/// due now, and pieces are placed around that frame. Errors therefore do not accumulate at any
/// rate, and a change of rate is audible at once, because nothing was stretched in advance. Second,
/// a piece begins shortly before each onset (`OnsetDetector`), so that the onset is heard once,
/// exactly when it is due. Earlier pieces end before the onset, and later pieces do not return to
/// it. Lips therefore stay in step with speech, to the sample, even at rates at which other
/// stretchers drop or repeat a tick.
///
/// - Concurrency: the audio callback: no call locks, allocates or waits.
/// - Ownership: owns its memory.
/// - Corresponds to: `AVAudioTimePitchAlgorithm.timeDomain`; Verhelst and Roelands, "An overlap-add
///   technique based on waveform similarity (WSOLA)", ICASSP 1993.
package struct TimeStretcher: ~Copyable {
    /// The supported rates. At lower rates, the same few milliseconds would be repeated; at higher
    /// rates, most of the audio would be left out.
    package static let rates = 0.25...4.0

    /// A Boolean value that indicates whether the stretcher is playing, and the next frame that it
    /// plays.
    package private(set) var isActive = false
    package private(set) var next: Int64 = 0

    /// The number of frames between two choices of a piece. It covers two periods of a low voice.
    private let period: Int
    /// The number of frames of a cross-fade.
    private let fade: Int
    /// The largest distance of a piece from its nominal place, in frames. It is half a period of
    /// the lowest note, 50 Hz.
    private let radius: Int
    /// The number of frames between an onset and the start of the cross-fade that precedes it.
    private let onsetFade: Int
    /// The minimum number of frames that are played after an onset before another piece is chosen,
    /// and the minimum number of frames from that onset to the next.
    private let onsetBody: Int
    private let onsetGuard: Int64
    /// The distance between the due frame and the played frame above which the position has jumped.
    private let jumpLimit: Double

    /// The piece that is being faded out, and the progress of the fade.
    private var old: Int64 = 0
    private var fadeLength = 0
    private var fadeDone = 0
    private var untilChoice = 0
    private var rate = 1.0
    private var isEnding = false
    /// The last onset that was played.
    private var lastOnset = Int64.min / 2
    private var detector: OnsetDetector
    private let matcher: SpliceMatcher

    package init(sampleRate: Int) {
        func frames(_ milliseconds: Int) -> Int { sampleRate * milliseconds / 1000 }
        period = frames(24)
        fade = frames(8)
        radius = frames(10)
        onsetFade = frames(2)
        onsetBody = frames(8)
        onsetGuard = Int64(frames(3))
        jumpLimit = Double(frames(80))
        detector = OnsetDetector(sampleRate: sampleRate)
        matcher = SpliceMatcher(sampleRate: sampleRate, length: fade, radius: radius)
    }

    /// Begins to stretch after unstretched delivery. `frame` is the frame after the last one that
    /// was delivered.
    package mutating func begin(at frame: Int64) {
        isActive = true
        next = frame
        fadeLength = 0
        fadeDone = 0
        untilChoice = 0
        // Audio that was heard before must not be heard again.
        lastOnset = frame
        detector.restart(at: frame)
    }

    /// Stops at once, because the following audio is unrelated.
    package mutating func stop() { isActive = false }

    /// Fills frames.
    ///
    /// - Parameters:
    ///   - position: The frame that is due at the first output frame; it may have a fraction.
    ///   - rate: The increase of the due frame per output frame.
    ///   - isEnding: A Boolean value that indicates whether stretching is no longer wanted. If so,
    ///     the output fades into the due frames and then stops.
    /// - Returns: The number of frames filled. It is the full number, unless the stretcher has
    ///   stopped.
    package mutating func render(
        into output: UnsafeMutablePointer<Float>, count: Int, position: Double, rate: Double,
        isEnding: Bool, source: StretchSource
    ) -> Int {
        if rate != self.rate || isEnding != self.isEnding {
            self.rate = rate
            self.isEnding = isEnding
            untilChoice = 0
        }
        var done = 0
        while done < count {
            if fadeDone == fadeLength, untilChoice <= 0 {
                choose(due: position + Double(done) * rate, source)
                if !isActive { return done }
            }
            let end = fadeDone < fadeLength ? fadeLength - fadeDone : max(1, untilChoice)
            let part = min(count - done, end)
            mix(into: output + done * source.channelCount, count: part, source)
            done += part
            untilChoice -= part
        }
        return done
    }

    private mutating func mix(
        into output: UnsafeMutablePointer<Float>, count: Int, _ source: StretchSource
    ) {
        let channels = source.channelCount
        let isFading = fadeDone < fadeLength
        for index in 0..<count {
            let target = output + index * channels
            let new = source.frame(next + Int64(index))
            guard isFading else {
                for channel in 0..<channels { target[channel] = new?[channel] ?? 0 }
                continue
            }
            let weight = Float(fadeDone + index + 1) / Float(fadeLength + 1)
            let last = source.frame(old + Int64(index))
            for channel in 0..<channels {
                let (from, to) = (last?[channel] ?? 0, new?[channel] ?? 0)
                target[channel] = from + (to - from) * weight
            }
        }
        next += Int64(count)
        if isFading {
            old += Int64(count)
            fadeDone += count
        }
    }

    // MARK: - Choosing pieces

    /// Chooses the piece to play from now on. The frame `due` is due now.
    private mutating func choose(due: Double, _ source: StretchSource) {
        if isEnding {
            // A difference of up to two frames is rounding.
            if abs(Double(next) - due) <= 2 {
                isActive = false
            } else {
                // With this lead, the frame that is played at the end of the fade is the frame that
                // is due then.
                let ahead = (rate - 1) * Double(fade)
                splice(to: Int64((due + ahead).rounded()), fade: fade, until: fade)
            }
            return
        }
        guard abs(Double(next) - due) <= jumpLimit else {
            let start = Int64(due.rounded())
            lastOnset = start
            detector.restart(at: start)
            splice(to: start, fade: fade / 2, until: period)
            return
        }
        let reach = Double(period + fade + onsetFade)
        detector.scan(source, upTo: max(Int64(due + reach * rate), next + Int64(reach)))
        let onset = detector.onset(after: lastOnset + onsetGuard, from: Int64(due.rounded(.up)))
        if let onset {
            let wait = Int(((Double(onset) - due) / rate).rounded())
            if wait <= onsetFade {
                lastOnset = onset
                splice(to: onset - Int64(wait), fade: wait, until: wait + onsetBody)
                return
            }
            choosePiece(due: due, before: onset, wait: wait, source)
        } else {
            choosePiece(due: due, length: period, last: .max, source)
        }
    }

    /// Chooses a piece that ends before an onset, which is due after `wait` frames.
    private mutating func choosePiece(
        due: Double, before onset: Int64, wait: Int, _ source: StretchSource
    ) {
        let length = min(period, wait - onsetFade)
        // If a piece began later, it would reach the onset before the onset is due.
        let last = onset - Int64(min(wait, length + fade)) - 1
        if length < fade, next <= last {
            // There is not enough time for another piece.
            untilChoice = length
        } else {
            choosePiece(due: due, length: length, last: last, source)
        }
    }

    /// Chooses a piece of a given length that begins no later than `last`.
    private mutating func choosePiece(
        due: Double, length: Int, last: Int64, _ source: StretchSource
    ) {
        // In the middle of the piece, the played frame is the due frame.
        let ideal = Int64((due + (rate - 1) * Double(length) / 2).rounded())
        let available = source.frames.upperBound - Int64(length + fade)
        let highest = min(ideal + Int64(radius), last, max(available, ideal))
        let lowest = min(
            max(ideal - Int64(radius), lastOnset + onsetGuard, source.frames.lowerBound), highest)
        let best = matcher.bestStart(
            in: lowest...highest, following: next, preferring: ideal, source)
        if best == next {
            untilChoice = length
        } else {
            splice(to: best, fade: min(fade, length), until: length)
        }
    }

    private mutating func splice(to frame: Int64, fade: Int, until: Int) {
        old = next
        next = frame
        fadeLength = fade
        fadeDone = 0
        untilChoice = until
    }
}
