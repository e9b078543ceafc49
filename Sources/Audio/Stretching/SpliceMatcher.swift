// SPDX-License-Identifier: Apache-2.0

/// A matcher that finds the place at which audio is most similar to the continuation of other
/// audio, so that a cross-fade between the two is inaudible.
///
/// It compares by normalised cross-correlation: first every fourth place, at a quarter of the
/// sample rate, then each place around the best of these.
///
/// - Concurrency: one thread; real-time: no call locks, allocates or waits.
/// - Ownership: owns its memory.
struct SpliceMatcher: ~Copyable {
    /// The amount that is subtracted from the similarity of a place at the edge of the searched
    /// range. Nearer to the middle, less is subtracted. If several places are equally similar, as
    /// in a steady tone, the one nearest to the middle therefore wins.
    private static let distancePenalty: Float = 0.02

    /// The mean square below which audio counts as silent: −60 dB.
    private static let silence: Float = 1e-6

    /// The number of frames that are compared.
    private let length: Int
    private let step: Int
    /// The features of the compared frames and of the searched region, with sums and differences
    /// stored separately.
    private let template: UnsafeMutablePointer<Float>
    private let region: UnsafeMutablePointer<Float>
    private let regionCapacity: Int

    /// Creates a matcher.
    ///
    /// - Parameters:
    ///   - length: The number of frames that are compared.
    ///   - radius: Half the length of the longest range that is searched.
    init(sampleRate: Int, length: Int, radius: Int) {
        self.length = length
        // Voices differ mainly below 6 kHz.
        step = max(1, sampleRate / 12_000)
        regionCapacity = 2 * radius + 1 + length
        template = .allocate(capacity: 2 * length)
        template.initialize(repeating: 0, count: 2 * length)
        region = .allocate(capacity: 2 * regionCapacity)
        region.initialize(repeating: 0, count: 2 * regionCapacity)
    }

    deinit {
        template.deallocate()
        region.deallocate()
    }

    /// Returns the frame within `range` at which the audio is most similar to the audio at `frame`.
    func bestStart(
        in range: ClosedRange<Int64>, following frame: Int64, preferring ideal: Int64,
        _ source: StretchSource
    ) -> Int64 {
        let count = min(Int(range.upperBound - range.lowerBound) + 1, regionCapacity - length)
        let preferred = min(max(ideal, range.lowerBound), range.upperBound)
        guard count > 1 else { return preferred }
        let energy = gather(from: frame, count: length, into: template, length, source)
        _ = gather(
            from: range.lowerBound, count: count + length - 1, into: region, regionCapacity, source)
        let center = Int(preferred - range.lowerBound)
        // After silence, a quiet place is chosen, so that the end of a tick is not heard again.
        guard energy > Self.silence * Float(length) else {
            return range.lowerBound + Int64(quietest(of: count, near: center))
        }
        let coarse = best(
            from: 0, through: count - 1, by: step, sampledBy: step, energy: energy, near: center,
            radius: count)
        let fine = best(
            from: max(0, coarse - step + 1), through: min(count - 1, coarse + step - 1), by: 1,
            sampledBy: 1, energy: energy, near: center, radius: count)
        return range.lowerBound + Int64(fine)
    }

    /// Returns the place in the region with the least energy. If several places are silent, returns
    /// the one nearest to `center`.
    private func quietest(of count: Int, near center: Int) -> Int {
        func energy(_ index: Int) -> Float {
            let (left, right) = (region[index], region[regionCapacity + index])
            return left * left + right * right
        }
        var own: Float = 0
        for index in 0..<length { own += energy(index) }
        var best = (place: 0, energy: Float.infinity, distance: Int.max)
        for place in 0..<count {
            let level = max(own, Self.silence * Float(length))
            let distance = abs(place - center)
            if (level, distance) < (best.energy, best.distance) { best = (place, level, distance) }
            if place + 1 < count { own += energy(place + length) - energy(place) }
        }
        return best.place
    }

    /// Returns the place in the region that is most similar to the template.
    private func best(
        from first: Int, through last: Int, by stride: Int, sampledBy step: Int, energy: Float,
        near center: Int, radius: Int
    ) -> Int {
        var best = (place: first, score: -Float.infinity)
        var place = first
        while place <= last {
            var product: Float = 0
            var own: Float = 0
            var index = 0
            while index < length {
                let left = region[place + index]
                let right = region[regionCapacity + place + index]
                product += left * template[index] + right * template[length + index]
                own += left * left + right * right
                index += step
            }
            let scale = (own * energy / Float(step)).squareRoot()
            let distance = Float(abs(place - center)) / Float(radius)
            let score = (scale > 0 ? product / scale : 0) - Self.distancePenalty * distance
            if score > best.score { best = (place, score) }
            place += stride
        }
        return best.place
    }

    /// Writes the features of frames, and returns their energy.
    private func gather(
        from frame: Int64, count: Int, into target: UnsafeMutablePointer<Float>, _ stride: Int,
        _ source: StretchSource
    ) -> Float {
        var energy: Float = 0
        for index in 0..<count {
            let (sum, difference) = source.features(of: frame + Int64(index))
            target[index] = sum
            target[stride + index] = difference
            energy += sum * sum + difference * difference
        }
        return energy
    }
}
