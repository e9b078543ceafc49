// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadBuffers
import PlayheadGL
import PlayheadThreads
import Synchronization
import Testing

@testable import PlayheadTextures

@Suite("Uploads", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct UploadTests {
    private static func picture(_ number: Int, width: Int = 32, height: Int = 18) -> PixelBuffer {
        TestPictures.rgba(width: width, height: height) { x, y in
            SIMD4(
                UInt8(truncatingIfNeeded: x * 7 + number), UInt8(truncatingIfNeeded: y * 9),
                UInt8(number), 255)
        }
    }

    /// Returns the contents of a frame's texture.
    private static func look(
        _ picture: PictureTextures, _ painter: PicturePainter, _ context: HeadlessContext
    ) throws -> RGBAImage {
        try GraphicsTest.image(width: picture.width, height: picture.height, context: context) {
            _ in
            try painter.draw(picture, geometry: .uprightWhole, sampling: .exactAll)
        }
    }

    private static func expect(
        _ image: RGBAImage, _ number: Int, _ location: SourceLocation = #_sourceLocation
    ) {
        for (x, y) in [(0, 0), (31, 0), (5, 17), (31, 17)] {
            let expected = SIMD4<UInt8>(
                UInt8(truncatingIfNeeded: x * 7 + number), UInt8(y * 9), UInt8(number), 255)
            #expect(image[x, y] == expected, "\(x), \(y)", sourceLocation: location)
        }
    }

    @Test(arguments: PictureUpload.allCases)
    func `every way of uploading gives the same texels`(upload: PictureUpload) throws {
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context, upload: upload)
            let painter = PicturePainter(context: context)
            for number in 0..<9 {
                let textures = try cache.textures(for: Self.picture(number))
                Self.expect(try Self.look(textures, painter, context), number)
                cache.endFrame()
            }
            #expect(cache.uploadCount == 9)
            context.deletionQueue.drain()
            let live = GLDeletionQueue.Kind.allCases.map { context.deletionQueue.liveCount($0) }
            for number in 9..<20 {
                _ = try cache.textures(for: Self.picture(number))
                cache.endFrame()
                GLState.finish()
                context.deletionQueue.drain()
            }
            let after = GLDeletionQueue.Kind.allCases.map { context.deletionQueue.liveCount($0) }
            #expect(after == live, "as many objects as before")
        }
    }

    @Test(arguments: [
        PixelFormat.yuv420p, .yuv422p, .yuv444p, .yuv420p10, .yuva420p, .nv12, .gray8,
    ])
    func `chroma joined in one texture equals that in two`(format: PixelFormat) throws {
        let buffer = PixelBuffer(
            format: format, width: 33, height: 19,
            attachments: PixelBufferAttachments(
                color: ColorAttachments(matrix: .bt709, range: .full))
        ) { plane, bytes, _ in
            for index in bytes.indices {
                // The upper byte of two contains only two bits.
                let isHigh = format.bitDepth > 8 && index % 2 == 1
                bytes[index] = UInt8((index * (37 + plane * 64) / 5) & (isHigh ? 3 : 255))
            }
        }
        let layout = try PictureLayout(format)
        #expect(layout.joiningChroma.isJoined == (layout.colorViewCount == 3))
        #expect(layout.joiningChroma.hasAlphaView == layout.hasAlphaView)
        try GraphicsTest.withContext { context in
            let painter = PicturePainter(context: context)
            let images = try [false, true].map { joinsChroma in
                let cache = TextureCache(context: context, joinsChroma: joinsChroma)
                return try Self.look(try cache.textures(for: buffer), painter, context)
            }
            var worst = 0
            for (x, y) in (0..<19).flatMap({ y in (0..<33).map { ($0, y) } }) {
                for channel in 0..<4 {
                    let (one, other) = (images[0][x, y][channel], images[1][x, y][channel])
                    worst = max(worst, abs(Int(one) - Int(other)))
                }
            }
            #expect(worst == 0)
        }
    }

    @Test(arguments: [48, 49, 64, -48, -50])
    func `rows of any stride are uploaded correctly through a buffer`(bytesPerRow: Int) throws {
        let (width, height) = (16, 7)
        let top = bytesPerRow > 0 ? 0 : -bytesPerRow * (height - 1)
        // Not a byte more than the frame has: the sanitizer detects reads beyond it.
        var memory = [UInt8](
            repeating: 0xEE, count: abs(bytesPerRow) * (height - 1) + max(width * 3, 1))
        for y in 0..<height {
            for index in 0..<width * 3 {
                memory[top + y * bytesPerRow + index] = UInt8(
                    truncatingIfNeeded: index * 3 + y * 50)
            }
        }
        let format = PixelFormat(
            name: "rgb24", model: .rgb,
            components: (0..<3).map {
                PixelFormat.Component(plane: 0, step: 3, offset: $0, depth: 8)
            })
        try memory.withUnsafeBytes { bytes in
            let buffer = PixelBuffer(
                format: format, width: width, height: height,
                planes: [
                    PixelBuffer.Plane(
                        baseAddress: bytes.baseAddress! + top, bytesPerRow: bytesPerRow,
                        width: width, height: height)
                ], owner: nil)
            try GraphicsTest.withContext { context in
                let cache = TextureCache(context: context, upload: .ring)
                let painter = PicturePainter(context: context)
                let image = try Self.look(try cache.textures(for: buffer), painter, context)
                for y in 0..<height {
                    for x in 0..<width {
                        let expected = (0..<3).map {
                            UInt8(truncatingIfNeeded: (x * 3 + $0) * 3 + y * 50)
                        }
                        let pixel = image[x, y]
                        #expect([pixel.x, pixel.y, pixel.z] == expected)
                    }
                }
            }
        }
    }

    @Test func `frames in mapped memory are uploaded without a copy, and the memory is lent again`()
        throws
    {
        try GraphicsTest.withContext { context in
            try #require(context.capabilities.hasBufferStorage)
            let cache = TextureCache(context: context, upload: .mapped)
            let painter = PicturePainter(context: context)
            let memory = cache.memory
            // None has been created yet; the request creates some.
            #expect(memory.makeMemory(byteCount: 32 * 18 * 4) == nil)
            cache.endFrame()
            for number in 0..<30 {
                let block = try #require(memory.makeMemory(byteCount: 32 * 18 * 4))
                let original = Self.picture(number)
                block.bytes.copyMemory(
                    from: UnsafeRawBufferPointer(
                        start: original.planes[0].baseAddress, count: 32 * 18 * 4))
                let buffer = PixelBuffer(
                    format: .rgba, width: 32, height: 18,
                    planes: [
                        PixelBuffer.Plane(
                            baseAddress: UnsafeRawPointer(block.bytes.baseAddress!),
                            bytesPerRow: 128, width: 32, height: 18)
                    ], memory: block, owner: nil)
                let textures = try cache.textures(for: buffer)
                #expect(cache.lastUpload == .mapped)
                Self.expect(try Self.look(textures, painter, context), number)
                cache.endFrame()
            }
            #expect(memory.byteCount <= 4 * 32 * 18 * 4)
        }
    }

    @Test(arguments: [(Int64(300), PictureUpload.ring), (Int64(990), .direct)])
    func `frames outside mapped memory are uploaded in the faster of the other ways`(
        ring: Int64, expected: PictureUpload
    ) throws {
        try GraphicsTest.withContext { context in
            try #require(context.capabilities.hasBufferStorage)
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            // A size of its own: the choice is for the whole program.
            let (width, height) = (160, 120 + Int(ring) % 7)
            UploadChoices.note(
                UploadTrial.Outcome(
                    choice: .mapped,
                    nanoseconds: [.direct: 1000, .ring: ring, .mapped: 30]),
                for: PictureUploader.key(
                    format: .rgba, width: width, height: height, in: context.capabilities))
            for number in 0..<5 {
                let picture = Self.picture(number, width: width, height: height)
                let textures = try cache.textures(for: picture)
                #expect(cache.lastUpload == expected)
                Self.expect(try Self.look(textures, painter, context), number)
                cache.endFrame()
                GLState.finish()
            }
        }
    }

    @Test func `a decoder's memory stays valid after cache and context are gone`() throws {
        let block = try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context, upload: .mapped)
            _ = cache.memory.makeMemory(byteCount: 1 << 20)
            cache.endFrame()
            let block = try #require(cache.memory.makeMemory(byteCount: 1 << 20))
            try context.remake()
            return block
        }
        for index in block.bytes.indices { block.bytes[index] = UInt8(truncatingIfNeeded: index) }
        #expect(block.bytes[12345] == UInt8(truncatingIfNeeded: 12345))
    }

    @Test func `a trial picks the fastest way, and more memory only for a tenth of the time`() {
        func outcome(_ times: [PictureUpload: Int64], first: Int64 = 900) -> PictureUpload? {
            var trial = UploadTrial(PictureUpload.allCases)
            var count = 0
            while let way = trial.next {
                if let time = times[way] {
                    // The first upload of each creates objects; others are disturbed.
                    trial.note(nanoseconds: count < 3 ? first : time + (count % 2 == 0 ? 50 : 0))
                } else {
                    trial.noteFailure()
                }
                count += 1
            }
            #expect(count == 12)
            return trial.outcome?.choice
        }
        #expect(outcome([.direct: 100, .ring: 95, .mapped: 92]) == .direct)
        #expect(outcome([.direct: 100, .ring: 80, .mapped: 79]) == .ring)
        #expect(outcome([.direct: 100, .ring: 80, .mapped: 20]) == .mapped)
        #expect(outcome([.direct: 100, .mapped: 20]) == .mapped)
        #expect(outcome([.direct: 100, .ring: 20]) == .ring)
        #expect(outcome([.direct: 10], first: 1) == .direct)
    }

    @Test func `the first frames are the trial, and its outcome is kept`() throws {
        try #require(PictureUpload.forced == nil)
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            // A unique size.
            for number in 0..<13 {
                let textures = try cache.textures(
                    for: Self.picture(number, width: 246, height: 100))
                let image = try Self.look(textures, painter, context)
                #expect(image[31, 17].z == UInt8(number) && image[31, 17].y == 153)
                cache.endFrame()
            }
            let found = UploadChoices.all.first { $0.key.width == 246 && $0.key.height == 100 }
            let (key, outcome) = try #require(found)
            #expect(key.renderer == context.capabilities.renderer)
            #expect(outcome.nanoseconds.count >= 2)
            let text = UploadChoices.text
            #expect(text.contains("\t246\t100\t"))
            UploadChoices.load(
                "\(key.renderer)\t1.0\trgba\t7\t8\tunmappable\tring\t5\t4\t-\nno sense\na\tb\n"
                    + "\(key.renderer)\t1.0\trgba\t9\t9\tunmappable\tmapped\t5\t4\t3\n")
            var other = key
            (other.version, other.width, other.height, other.canMap) = ("1.0", 7, 8, false)
            #expect(
                UploadChoices.outcome(for: other)
                    == UploadTrial.Outcome(choice: .ring, nanoseconds: [.direct: 5, .ring: 4]))
            // The ability of one context does not apply to another one with the same driver.
            other.canMap = true
            #expect(UploadChoices.outcome(for: other) == nil)
            (other.width, other.height, other.canMap) = (9, 9, false)
            #expect(UploadChoices.outcome(for: other) == nil)
        }
    }

    @Test func `during the trial, the next frame is uploaded ahead of time`() throws {
        try #require(PictureUpload.forced == nil)
        try GraphicsTest.withContext { context in
            let cache = TextureCache(context: context)
            let painter = PicturePainter(context: context)
            // A unique size.
            let pictures = (0..<20).map { Self.picture($0, width: 244, height: 100) }
            cache.uploadDuringTrial(pictures[0])
            #expect(cache.uploadCount == 0, "no trial has begun")
            var wereAhead: [Bool] = []
            for (number, picture) in pictures.enumerated() {
                wereAhead.append(cache.textures(forIdentifier: picture.identifier) != nil)
                let image = try Self.look(try cache.textures(for: picture), painter, context)
                #expect(image[31, 17].z == UInt8(number) && image[31, 17].y == 153)
                cache.endFrame()
                // Twice, as when a frame stays for two vsyncs.
                for upcoming in pictures.dropFirst(number + 1).prefix(1) {
                    cache.uploadDuringTrial(upcoming)
                    cache.uploadDuringTrial(upcoming)
                }
                #expect(cache.uploadNanoseconds == 0, "the time is not that of a drawn frame")
            }
            // A trial of two methods takes eight frames, and one of three takes twelve.
            #expect(wereAhead[0] == false && !wereAhead[1..<8].contains(false))
            #expect(!wereAhead[12...].contains(true), "after the trial, nothing is ahead")
            #expect(cache.uploadCount == pictures.count)
            #expect(cache.pictureCount <= 3)
            #expect(UploadChoices.all.keys.contains { $0.width == 244 && $0.height == 100 })
        }
    }

    // MARK: Several windows

    @Test func `contexts of one share group upload a frame once, and each can draw it`() throws {
        try GraphicsTest.withContext { first in
            let second = try HeadlessContext(sharing: first, isDebug: true)
            second.clearCurrent()
            try first.makeCurrent()
            let pictures = (0..<40).map { Self.picture($0) }
            let counts = Mutex<[Int]>([])
            let failures = Mutex<[String]>([])
            // Two render threads, at their own pace; the frames come in the same order.
            @Sendable func show(_ context: HeadlessContext, _ pictures: [PixelBuffer]) throws {
                let cache = TextureCache(context: context)
                let painter = PicturePainter(context: context)
                GLState.beginFrame()
                for (number, buffer) in pictures.enumerated() {
                    context.shareGroup.deletionQueue.drain()
                    GLState.refreshSharedObjects()
                    let textures = try cache.textures(for: buffer)
                    let image = try Self.look(textures, painter, context)
                    let seen = [image[0, 0].z, image[31, 17].z, image[3, 9].y]
                    if seen != [UInt8(number), UInt8(number), 81] {
                        failures.withLock { $0.append("frame \(number): \(seen)") }
                    }
                    cache.endFrame()
                }
                counts.withLock { $0.append(cache.uploadCount) }
            }
            let other = WorkerThread(name: "other window") {
                do {
                    try second.makeCurrent()
                    try show(second, pictures)
                    second.deletionQueue.drain()
                    second.clearCurrent()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            try show(first, pictures)
            other.join()
            #expect(failures.withLock { $0 }.isEmpty, "\(failures.withLock { $0 })")
            // A thread that is far behind the other may find a frame evicted.
            let total = counts.withLock { $0.reduce(0, +) }
            #expect(total >= 40 && total <= 80)
            #expect(second.messages.errorCount == 0)
        }
    }

    @Test func `two windows in step upload each frame once, and both release it`() throws {
        try GraphicsTest.withContext { first in
            let second = try HeadlessContext(sharing: first, isDebug: true)
            let caches = try [first, second].map { context in
                try context.makeCurrent()
                return TextureCache(context: context)
            }
            for number in 0..<10 {
                let buffer = Self.picture(number)
                for (context, cache) in zip([first, second], caches) {
                    try context.makeCurrent()
                    GLState.beginFrame()
                    let textures = try cache.textures(for: buffer)
                    #expect(textures.identifier == buffer.identifier)
                    let painter = PicturePainter(context: context)
                    Self.expect(try Self.look(textures, painter, context), number)
                    cache.endFrame()
                }
            }
            #expect(caches.map(\.uploadCount) == [10, 0])
            let group = first.shareGroup
            #expect(group.isShared && group === second.shareGroup)
            #expect(group.deletionQueue.liveCount(.texture) <= 6)
            second.deletionQueue.drain()
            second.clearCurrent()
            try first.makeCurrent()
        }
    }
}
