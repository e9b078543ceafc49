// SPDX-License-Identifier: Apache-2.0

/// Plays sound at another rate at its own pitch.
///
/// What is heard is pieces of the sound as it is, some 24 ms each, one faded into the next: at twice
/// the rate every second piece is left out, at half of it every piece is played twice. Where a piece
/// begins is chosen, near the place where it should, so that it goes on like the one before: that is
/// WSOLA, waveform-similarity overlap-add.
///
/// Two things are added to it. The stretcher is told at each call which frame is due now, and places
/// each piece about that: nothing adds up, whatever the rate, and a change of rate is heard at once,
/// since nothing has been stretched in advance. And where something sets in (`OnsetDetector`), a
/// piece begins a moment before such that the onset is heard exactly when it is due, and once: pieces
/// before it end before it, and those after it do not go back to it. So lips stay in step with what
/// they say, to the sample, at rates at which other stretchers drop or repeat a tick.
///
/// - Concurrency: the sound callback: no call locks, allocates or waits.
/// - Ownership: owns its memory.
/// - Corresponds to: `AVAudioTimePitchAlgorithm.timeDomain`; Verhelst and Roelands, "An overlap-add
///   technique based on waveform similarity (WSOLA)", ICASSP 1993.
struct TimeStretcher: ~Copyable {
    /// Slower, the same few milliseconds would be heard over and over; faster, most is left out.
    static let rates = 0.25...4.0

    /// Whether it plays, and which frame it plays next.
    private(set) var isActive = false
    private(set) var next: Int64 = 0

    /// From one choice of a piece to the next: long enough for two periods of a low voice.
    private let period: Int
    /// How long one piece is faded into the next.
    private let fade: Int
    /// How far from where it should a piece may begin: half a period of the lowest note, 50 Hz.
    private let radius: Int
    /// How long before an onset its piece begins to be faded in.
    private let onsetFade: Int
    /// How long an onset's piece goes on at least, and how long after it the next may begin.
    private let onsetBody: Int
    private let onsetGuard: Int64
    /// What is due is farther than this from what would be played: it is another place.
    private let jumpLimit: Double

    /// The piece that is being faded out, and how far.
    private var old: Int64 = 0
    private var fadeLength = 0
    private var fadeDone = 0
    private var untilChoice = 0
    private var rate = 1.0
    private var isEnding = false
    /// The onset that was played last.
    private var lastOnset = Int64.min / 2
    private var detector: OnsetDetector
    private let matcher: SpliceMatcher

    init(sampleRate: Int) {
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

    /// Takes over from delivery as it is, which would have gone on at `frame`.
    mutating func begin(at frame: Int64) {
        isActive = true
        next = frame
        fadeLength = 0
        fadeDone = 0
        untilChoice = 0
        // What is heard already is not heard again.
        lastOnset = frame
        detector.restart(at: frame)
    }

    /// Ends at once; what follows has nothing to do with what was played.
    mutating func stop() { isActive = false }

    /// Fills frames.
    ///
    /// - Parameters:
    ///   - position: the frame, with its fraction, that is due at the first one.
    ///   - rate: from one frame to the next that much more is due.
    ///   - isEnding: whether it is no longer wanted: what is played fades into what is due, and then
    ///     it stops.
    /// - Returns: how many it has filled: all, unless it has stopped.
    mutating func render(
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

    /// Chooses what is played from now on, when frame `due` is due.
    private mutating func choose(due: Double, _ source: StretchSource) {
        if isEnding {
            // A frame more or less is rounding.
            if abs(Double(next) - due) <= 2 {
                isActive = false
            } else {
                // So that what is played then is what is due when it has been faded in.
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
        // From here on a piece would get to the onset before it is due.
        let last = onset - Int64(min(wait, length + fade)) - 1
        if length < fade, next <= last {
            // Not worth another piece.
            untilChoice = length
        } else {
            choosePiece(due: due, length: length, last: last, source)
        }
    }

    /// Chooses a piece of a length that begins at `last` at the latest.
    private mutating func choosePiece(
        due: Double, length: Int, last: Int64, _ source: StretchSource
    ) {
        // In the middle of the piece, what is heard is what is due.
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
