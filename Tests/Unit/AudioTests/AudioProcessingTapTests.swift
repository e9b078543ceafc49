// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadAudio

/// Audio whose samples are their own numbers, up to 2^16 frames.
private func number(_ frame: Int, _ channel: Int) -> Float {
    Float(frame % 65_536 + 1) / (channel == 0 ? 131_072 : -131_072)
}

@Suite struct AudioProcessingTapTests {
    @Test func `a tap that only pulls leaves samples unchanged`() {
        let rig = MixRig(sound: number)
        let tap = NotingTap()
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 500)
        #expect(rig.heard() == (0..<rig.heard().count).map { number($0, 0) })
        #expect(rig.heard(channel: 1) == (0..<rig.heard().count).map { number($0, 1) })
        #expect(tap.statistics.processedFrames == rig.heard().count)
    }

    @Test func `a tap may change what is heard`() {
        let rig = MixRig()
        let tap = NotingTap()
        tap.body = { block in
            for index in block.samples.indices { block.samples[index] *= -0.5 }
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.heard().allSatisfy { $0 == -0.25 })
    }

    @Test func `taps pull from each other in order`() {
        let rig = MixRig()
        let (first, second) = (NotingTap(), NotingTap())
        first.body = { for index in $0.samples.indices { $0.samples[index] += 0.25 } }
        second.body = { for index in $0.samples.indices { $0.samples[index] *= 0.5 } }
        rig.setTaps([first, second])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.heard().allSatisfy { $0 == 0.375 })
    }

    @Test func `the time ranges of pulled samples are continuous`() {
        for rate in [1.0, 2, 0.5] {
            let rig = MixRig(sound: number)
            let tap = NotingTap()
            rig.setTaps([tap])
            rig.play(from: MixRig.time(100), rate: rate)
            rig.run(milliseconds: 200)
            let ranges = tap.sources.map(\.timeRange)
            #expect(ranges.first?.start == MixRig.time(100))
            for (one, next) in zip(ranges, ranges.dropFirst()) {
                #expect(abs((next.start - one.end).seconds) <= 3e-9)
            }
            for (range, source) in zip(ranges, tap.sources) {
                let seconds = Double(source.frameCount) / Double(MixRig.rate) * rate
                #expect(abs(range.duration.seconds - seconds) < 2e-9)
            }
        }
    }

    @Test func `pulled samples belong to their time ranges`() {
        let rig = MixRig(sound: number)
        let tap = NotingTap()
        var errors = 0
        tap.body = { [unowned tap] block in
            let start = tap.sources.last?.timeRange.start.seconds ?? 0
            for frame in 0..<block.frameCount {
                let expected = number(Int((start * 48_000).rounded()) + frame, 0)
                if block.samples[frame * block.channelCount] != expected { errors += 1 }
            }
        }
        rig.setTaps([tap])
        rig.play(from: MixRig.time(250))
        rig.run(milliseconds: 300)
        #expect(errors == 0 && !tap.sources.isEmpty)
    }

    @Test func `only the start, a jump and the end are flagged`() {
        let rig = MixRig(sound: number)
        let tap = NotingTap()
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(tap.sources[0].flags == .startOfStream)
        #expect(tap.sources.dropFirst().allSatisfy { $0.flags.isEmpty })
        let before = tap.sources.count
        rig.seek(to: 24_000)
        rig.run(milliseconds: 100)
        #expect(tap.sources[before].flags == .discontinuity)
        #expect(tap.sources.dropFirst(before + 1).allSatisfy { $0.flags.isEmpty })
        rig.renderer.endTime = rig.timebase.time + MixRig.time(100)
        rig.run(milliseconds: 200)
        #expect(tap.sources.filter { $0.flags.contains(.endOfStream) }.count == 1)
        #expect(tap.sources.last?.flags == .endOfStream)
    }

    @Test func `an underrun is flagged as a discontinuity`() {
        let rig = MixRig(sound: number)
        let tap = NotingTap()
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 3500, isStarving: true)
        let before = tap.sources.count
        #expect(tap.sources.contains { $0.flags.contains(.discontinuity) })
        rig.run(milliseconds: 200)
        #expect(tap.sources.dropFirst(before + 2).allSatisfy { $0.flags.isEmpty })
    }

    @Test func `samples that are not pulled are skipped and silent`() {
        let rig = MixRig(sound: number)
        let tap = NotingTap(pullsFirst: false)
        tap.body = { block in
            let source = block.pull(100)
            #expect(source.frameCount == 100 && block.pulledFrames == 100)
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        for (frame, sample) in rig.heard().enumerated() {
            #expect(sample == (frame % 480 < 100 ? number(frame, 0) : 0))
        }
        #expect(rig.renderer.statistics.skippedFrames == 0)
    }

    @Test func `a block can be pulled in parts`() {
        let rig = MixRig(sound: number)
        let (inner, outer) = (NotingTap(), NotingTap(pullsFirst: false))
        outer.body = { block in
            while block.pull(77).frameCount > 0 {}
            #expect(block.pulledFrames == block.frameCount)
        }
        rig.setTaps([inner, outer])
        rig.play()
        rig.run(milliseconds: 300)
        #expect(rig.heard() == (0..<rig.heard().count).map { number($0, 0) })
        #expect(inner.blockSizes.allSatisfy { $0 <= 77 })
        #expect(inner.sources.dropFirst().allSatisfy { $0.flags.isEmpty })
    }

    @Test func `large blocks are divided for taps`() {
        let clock = ManualClock()
        let sink = CaptureAudioSink(clock: clock)
        let timebase = Timebase(masterClock: clock)
        let renderer = AudioRenderer(
            sink: sink, timebase: timebase, bufferSeconds: 1, stopwatch: StoppedClock())
        let tap = NotingTap()
        var parameters = AudioMixInputParameters()
        parameters.taps = [tap]
        renderer.inputParameters = parameters
        timebase.setRate(1, time: .zero, atMasterTime: .zero)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 20_000)
        defer { samples.deallocate() }
        renderer.render(into: samples, frameCount: 10_000, presentationTime: 0)
        #expect(tap.preparations.map(\.maxFrames) == [AudioProcessingTap.maxFrames])
        #expect(tap.preparations.map(\.format) == [sink.format])
        #expect(tap.blockSizes.reduce(0, +) == 10_000)
        #expect(tap.blockSizes.allSatisfy { $0 <= AudioProcessingTap.maxFrames })
    }

    @Test func `prepare and unprepare are called in pairs`() {
        let rig = MixRig()
        let (one, other) = (NotingTap(), NotingTap())
        rig.play()
        for taps in [[one], [one, other], [other], [other, one], [], [one]] {
            rig.setTaps(taps)
            rig.run(milliseconds: 50)
            #expect(one.isPrepared == taps.contains { $0 === one })
            #expect(other.isPrepared == taps.contains { $0 === other })
        }
        // A tap that stays is not prepared again.
        #expect(one.preparations.count == 3 && other.preparations.count == 1)
        rig.renderer.inputParameters = nil
        #expect(!one.isPrepared && one.unpreparations == 3)
        rig.setTaps([one])
        rig.renderer.invalidate()
        #expect(!one.isPrepared && one.unpreparations == 4)
    }

    @Test func `a tap in the mixes of two items is prepared once and continues`() {
        let tap = NotingTap()
        let first = MixRig()
        first.setTaps([tap])
        let second = MixRig()
        second.setTaps([tap])
        first.renderer.invalidate()
        #expect(tap.isPrepared && tap.preparations.count == 1)
        second.renderer.invalidate()
        #expect(!tap.isPrepared)
    }

    @Test func `a tap that is too slow is counted, bypassed, and tried again`() {
        let stopwatch = ManualClock()
        let rig = MixRig(stopwatch: stopwatch, sound: number)
        let tap = NotingTap()
        tap.body = { block in
            for index in block.samples.indices { block.samples[index] = 0.75 }
            stopwatch.advance(by: MixRig.time(100))
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 900)
        // Late twice, then bypassed for a second, in which the source is played, each sample once.
        #expect(tap.statistics.missedDeadlines == 2)
        #expect(tap.statistics.bypassedFrames == rig.heard().count - 960)
        for (frame, sample) in rig.heard().enumerated() {
            #expect(sample == (frame < 960 ? 0.75 : number(frame, 0)))
        }
        rig.run(milliseconds: 300)
        #expect(tap.statistics.missedDeadlines == 3)
        // The discontinuity is reported to the tap.
        #expect(tap.sources.last?.flags.contains(.startOfStream) == true)
    }

    @Test func `a device does not change the bypass of a tap that another device uses`() {
        let stopwatch = ManualClock()
        let rig = MixRig(stopwatch: stopwatch)
        let tap = NotingTap()
        tap.body = { _ in stopwatch.advance(by: MixRig.time(100)) }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        let bypassed = tap.statistics.bypassedFrames
        #expect(bypassed > 0)
        #expect(tap.beginProcessing())
        rig.run(milliseconds: 100)
        #expect(tap.statistics.bypassedFrames == bypassed)
        tap.endProcessing()
        rig.run(milliseconds: 100)
        #expect(tap.statistics.bypassedFrames > bypassed)
    }

    @Test func `one missed deadline does not bypass a tap`() {
        let stopwatch = ManualClock()
        let rig = MixRig(stopwatch: stopwatch)
        let tap = NotingTap()
        var blocks = 0
        tap.body = { _ in
            blocks += 1
            if blocks % 150 == 10 { stopwatch.advance(by: MixRig.time(100)) }
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 4000)
        #expect(tap.statistics.missedDeadlines == 3 && tap.statistics.bypassedFrames == 0)
    }

    @Test func `a tap's time does not include its source's`() {
        let stopwatch = ManualClock()
        let rig = MixRig(stopwatch: stopwatch)
        let (slow, quick) = (NotingTap(), NotingTap())
        slow.body = { _ in stopwatch.advance(by: MixRig.time(100)) }
        rig.setTaps([slow, quick])
        rig.play()
        rig.run(milliseconds: 900)
        #expect(slow.statistics.missedDeadlines == 2)
        #expect(quick.statistics.missedDeadlines == 0 && quick.statistics.bypassedFrames == 0)
    }

    @Test func `the output is finite and within full scale for any output of a tap`() {
        let rig = MixRig()
        let tap = NotingTap()
        let values: [Float] = [.nan, .infinity, -.infinity, 1e30, -4, 0.25]
        tap.body = { block in
            for index in block.samples.indices { block.samples[index] = values[index % 6] }
        }
        rig.setTaps([tap])
        rig.play()
        rig.run(milliseconds: 100)
        #expect(rig.sink.samples.allSatisfy { abs($0) <= 1 })
    }
}
