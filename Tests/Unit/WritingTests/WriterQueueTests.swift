// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadWriting

/// The order of samples, and waiting for a place in the queue of an input.
@Suite struct WriterQueueTests {
    private let folder = TemporaryFolder()

    /// The writing thread may have written everything before the file is finished.
    @Test func `inputs that are marked as finished do not end the file`() async throws {
        let core = WriterCore(subject: "out.mkv")
        let lane = try core.addLane(
            WritingState.Input(mediaType: .subtitle, isPassthrough: false, timescale: 1000))
        try core.attempt { state throws(MediaWritingError) in
            try state.writing.start()
            try state.writing.startSession(at: .zero)
            try state.writing.markFinished(lane)
        }
        #expect(core.update { $0.takeTurn() == nil })
        try core.attempt { state throws(MediaWritingError) in try state.writing.finish() }
        let turn = try #require(core.update { $0.takeTurn() })
        #expect(turn.packet == nil)
        #expect(core.nextPacket() == nil)
    }

    @Test func `four threads that append to one input keep its order`() async throws {
        let input = AssetWriterInput(video: WritingSupport.settings())
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        let accepted = await withTaskGroup(of: [Int].self) { group in
            for task in 0..<4 {
                group.addTask {
                    var accepted: [Int] = []
                    for number in stride(from: task, to: 80, by: 4) {
                        let code = await WritingSupport.code {
                            try await input.append(
                                WritingSupport.gray(number), at: WritingSupport.time(number))
                        }
                        if code == nil { accepted.append(number) }
                        if let code { #expect(code == .outOfOrder) }
                    }
                    return accepted
                }
            }
            var all: [Int] = []
            for await numbers in group { all += numbers }
            return all.sorted()
        }
        try await writer.finishWriting()
        let frames = try WritingSupport.frames(folder.appending("out.mkv"))
        #expect(frames.map { WritingSupport.number($0) } == accepted)
        #expect(!accepted.isEmpty)
    }

    @Test func `an input is ready until its queue is full, and a source is asked again`()
        async throws
    {
        let input = AssetWriterInput(video: WritingSupport.settings())
        #expect(!input.isReadyForMoreMediaData)
        let writer = try WritingSupport.started(folder.appending("out.mkv"), [input])
        #expect(input.isReadyForMoreMediaData)
        let next = MutexCounter()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            input.requestMediaDataWhenReady {
                while next.value < 50 {
                    let number = next.value
                    guard
                        (try? input.tryAppend(
                            WritingSupport.gray(number), at: WritingSupport.time(number))) == true
                    else { return }
                    next.increment()
                }
                try? input.markAsFinished()
                done.resume()
            }
        }
        try await writer.finishWriting()
        #expect(try WritingSupport.frames(folder.appending("out.mkv")).count == 50)
    }
}
