// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBuffers
import PlayheadGL

/// Uploads frames with the method that is fastest on the driver.
///
/// - Concurrency: render thread.
final class PictureUploader {
    /// The number of buffers in the ring: one that is written, two that are read, and one to spare.
    private static let ringSize = 4
    /// The size, in bytes, from which methods other than the direct one are used. Smaller frames do
    /// not benefit from them.
    private static let leastBytes = 1 << 16
    /// The maximum ratio of the time to read mapped memory to the time to read other memory.
    /// Decoders often read the frames that they have decoded, so slower memory is unsuitable.
    private static let readingLimit = 2.0

    private let context: any GLContext
    /// The memory that decoders work in.
    let memory: MappedMemory
    private let forced: PictureUpload?
    private var ring: [GLUploadBuffer] = []
    private var trials: [UploadChoices.Key: UploadTrial] = [:]
    private var last: (key: UploadChoices.Key, choice: PictureUpload?)?
    /// A Boolean value that indicates whether frames that are not in mapped memory are uploaded
    /// through the ring.
    private var isRingFaster = false
    private let joiner = ChromaJoiner()
    private let converter = SampleConverter()
    /// The buffer for trials of mapped memory.
    private var sample: GLUploadBuffer?

    /// The method with which the last frame was uploaded.
    private(set) var lastUpload = PictureUpload.direct

    /// Creates an uploader.
    ///
    /// - Parameter forced: the upload method; nil for the method that the environment variable
    ///   names or, if the variable is not set, the fastest method.
    init(context: any GLContext, forced: PictureUpload?) {
        self.context = context
        self.forced = forced ?? PictureUpload.forced
        memory = MappedMemory(context: context)
        if self.forced == .mapped { memory.isOffered = context.capabilities.hasBufferStorage }
    }

    /// Uploads a frame into textures of its layout and size.
    func upload(_ buffer: PixelBuffer, into textures: [GLTexture], layout: PictureLayout) {
        var way = way(for: buffer, layout)
        // Joined and converted frames have been copied already. Where joining has a benefit,
        // drivers upload equally fast from any memory.
        if layout.isJoined || layout.isConverted { way.upload = .direct }
        let start = Self.now()
        switch way.upload {
        case .direct: direct(buffer, textures, layout)
        case .ring: if !stream(buffer, textures, layout) { direct(buffer, textures, layout) }
        case .mapped:
            if way.isTrial {
                if let time = tryMapped(buffer, textures, layout) {
                    note(nanoseconds: time)
                } else {
                    direct(buffer, textures, layout)
                    trials[key(of: buffer)]?.noteFailure()
                    settle(key(of: buffer))
                }
                return
            }
            if mapped(buffer, textures, layout) { break }
            // The frame is from a GPU's decoder, or from the time before there was enough mapped
            // memory.
            if isRingFaster, stream(buffer, textures, layout) {
                way.upload = .ring
            } else {
                direct(buffer, textures, layout)
                // If a way was forced, it is reported even for such a frame.
                if forced == nil { way.upload = .direct }
            }
        }
        lastUpload = way.upload
        if way.isTrial { note(nanoseconds: Self.now() - start) }
    }

    /// Returns whether the trial for frames like a given one has begun and not ended.
    func isTrying(_ buffer: PixelBuffer) -> Bool {
        !trials.isEmpty && trials[key(of: buffer)] != nil
    }

    // MARK: Choice

    private func way(
        for buffer: PixelBuffer, _ layout: PictureLayout
    ) -> (upload: PictureUpload, isTrial: Bool) {
        if let forced { return (forced, false) }
        guard buffer.byteCount >= Self.leastBytes else { return (.direct, false) }
        if let last, last.key.width == buffer.width, last.key.height == buffer.height,
            last.key.format == buffer.format.name, let choice = last.choice
        {
            return (choice, false)
        }
        let key = key(of: buffer)
        if let outcome = UploadChoices.outcome(for: key) {
            last = (key, outcome.choice)
            isRingFaster = outcome.isRingFaster
            if outcome.choice == .mapped { memory.isOffered = true }
            return (outcome.choice, false)
        }
        last = (key, nil)
        let candidates =
            layout.isJoined || layout.isConverted
            ? [PictureUpload.direct]
            : context.capabilities.hasBufferStorage
                ? PictureUpload.allCases : [PictureUpload.direct, .ring]
        let trial = trials[key] ?? UploadTrial(candidates)
        trials[key] = trial
        return (trial.next ?? .direct, true)
    }

    private func key(of buffer: PixelBuffer) -> UploadChoices.Key {
        Self.key(
            format: buffer.format, width: buffer.width, height: buffer.height,
            in: context.capabilities)
    }

    static func key(
        format: PixelFormat, width: Int, height: Int, in capabilities: GLCapabilities
    ) -> UploadChoices.Key {
        UploadChoices.Key(
            renderer: capabilities.renderer, version: capabilities.versionText,
            format: format.name, width: width, height: height,
            canMap: capabilities.hasBufferStorage)
    }

    private func note(nanoseconds: Int64) {
        guard let key = last?.key else { return }
        trials[key]?.note(nanoseconds: nanoseconds)
        settle(key)
    }

    private func settle(_ key: UploadChoices.Key) {
        guard let outcome = trials[key]?.outcome else { return }
        UploadChoices.note(outcome, for: key)
        trials[key] = nil
        last = (key, outcome.choice)
        sample = nil
        isRingFaster = outcome.isRingFaster
        if outcome.choice != .ring, !isRingFaster { ring = [] }
        memory.isOffered = outcome.choice == .mapped
    }

    // MARK: Methods

    private func direct(_ buffer: PixelBuffer, _ textures: [GLTexture], _ layout: PictureLayout) {
        for (view, texture) in zip(layout.views, textures) {
            let plane = buffer.planes[view.plane]
            if let other = view.joinedPlane {
                let pairs = joiner.join(
                    plane, buffer.planes[other], width: texture.width, height: texture.height,
                    bytesPerSample: view.format.bytesPerChannel)
                guard let pairs else { continue }
                texture.upload(
                    pairs, bytesPerRow: texture.width * view.format.bytesPerTexel,
                    isBigEndian: buffer.format.isBigEndian)
                continue
            }
            if view.isConverted {
                let bytesPerRow = texture.width * view.format.bytesPerTexel
                let samples = converter.convert(
                    plane, sampleCount: texture.width * view.format.channelCount,
                    height: texture.height, bytesPerSample: view.format.bytesPerChannel,
                    isFloat: buffer.format.isFloat, isBigEndian: buffer.format.isBigEndian)
                if let samples { texture.upload(samples, bytesPerRow: bytesPerRow) }
                continue
            }
            texture.upload(
                plane.baseAddress, bytesPerRow: plane.bytesPerRow,
                isBigEndian: buffer.format.isBigEndian)
        }
    }

    /// Uploads a frame through a buffer that OpenGL no longer reads. Returns false if all buffers
    /// are in use.
    private func stream(
        _ buffer: PixelBuffer, _ textures: [GLTexture], _ layout: PictureLayout
    ) -> Bool {
        let places = Self.places(of: buffer)
        guard let target = ringBuffer(byteCount: places.byteCount) else { return false }
        guard target.write({ Self.copy(buffer, layout, to: $0, places) }) else { return false }
        upload(target, places, buffer, textures, layout)
        return true
    }

    private func ringBuffer(byteCount: Int) -> GLUploadBuffer? {
        if let idle = ring.first(where: { $0.byteCount >= byteCount && $0.isIdle }) { return idle }
        if let small = ring.firstIndex(where: { $0.byteCount < byteCount }) {
            ring.remove(at: small)
        }
        guard ring.count < Self.ringSize,
            let made = try? GLUploadBuffer(
                byteCount: byteCount, isPersistent: context.capabilities.hasBufferStorage,
                context: context)
        else { return nil }
        ring.append(made)
        return made
    }

    /// Uploads a frame from the memory into which the decoder wrote it. Returns false if that is
    /// not OpenGL memory.
    private func mapped(
        _ buffer: PixelBuffer, _ textures: [GLTexture], _ layout: PictureLayout
    ) -> Bool {
        guard let block = buffer.memory as? MappedMemory.Block, block.owner === memory,
            let start = block.bytes.baseAddress
        else { return false }
        var places = Places()
        for plane in buffer.planes {
            places.offsets.append(plane.baseAddress - UnsafeRawPointer(start))
            places.bytesPerRow.append(plane.bytesPerRow)
        }
        upload(block.buffer, places, buffer, textures, layout)
        return true
    }

    /// Copies a frame to mapped memory, as if a decoder had written it there, and uploads it.
    ///
    /// - Returns: the time that the upload took, in nanoseconds; nil if mapped memory is
    ///   unsuitable.
    private func tryMapped(
        _ buffer: PixelBuffer, _ textures: [GLTexture], _ layout: PictureLayout
    ) -> Int64? {
        let places = Self.places(of: buffer)
        if sample.map({ $0.byteCount < places.byteCount }) ?? true {
            sample = try? GLUploadBuffer(
                byteCount: places.byteCount, isPersistent: true, context: context)
        }
        guard let sample, sample.isIdle, let memory = sample.memory else { return nil }
        Self.copy(buffer, layout, to: memory, places)
        guard Self.isQuick(UnsafeRawBufferPointer(start: memory, count: places.byteCount)) else {
            return nil
        }
        let start = Self.now()
        upload(sample, places, buffer, textures, layout)
        lastUpload = .mapped
        return Self.now() - start
    }

    private func upload(
        _ source: GLUploadBuffer, _ places: Places, _ buffer: PixelBuffer,
        _ textures: [GLTexture], _ layout: PictureLayout
    ) {
        source.read(context: context) {
            for (view, texture) in zip(layout.views, textures) {
                texture.upload(
                    offset: places.offsets[view.plane],
                    bytesPerRow: places.bytesPerRow[view.plane],
                    isBigEndian: buffer.format.isBigEndian)
            }
        }
    }

    // MARK: Copies

    /// The positions of a frame's planes in a buffer.
    private struct Places {
        var offsets: [Int] = []
        var bytesPerRow: [Int] = []
        var byteCount = 0
    }

    private static func places(of buffer: PixelBuffer) -> Places {
        var places = Places()
        for plane in buffer.planes {
            places.offsets.append(places.byteCount)
            places.bytesPerRow.append(abs(plane.bytesPerRow))
            // Planes start at multiples of 64 bytes, as decoders place them.
            places.byteCount += (abs(plane.bytesPerRow) * plane.height + 63) / 64 * 64
        }
        return places
    }

    private static func copy(
        _ buffer: PixelBuffer, _ layout: PictureLayout, to memory: UnsafeMutableRawPointer,
        _ places: Places
    ) {
        for (index, plane) in buffer.planes.enumerated() {
            let target = memory + places.offsets[index]
            let bytesPerRow = abs(plane.bytesPerRow)
            // The number of bytes of a row that textures need.
            let used = layout.views.reduce(0) { used, view in
                guard view.plane == index else { return used }
                let width = view.size(width: buffer.width, height: buffer.height).width
                return max(used, width * view.format.bytesPerTexel)
            }
            if plane.bytesPerRow > 0 {
                // In the last row, the memory after the last sample may not be readable.
                memcpy(target, plane.baseAddress, bytesPerRow * (plane.height - 1) + used)
            } else {
                for row in 0..<plane.height {
                    memcpy(
                        target + row * bytesPerRow, plane.baseAddress + row * plane.bytesPerRow,
                        used)
                }
            }
        }
    }

    /// Returns whether reading a block of memory takes about as long as reading ordinary memory.
    private static func isQuick(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = min(bytes.count, 1 << 20)
        let other = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 64)
        defer { other.deallocate() }
        guard let base = other.baseAddress, let start = bytes.baseAddress else { return false }
        // The memory is written first, so that its pages are mapped.
        memset(base, 1, 2 * count)
        func time(_ source: UnsafeRawPointer) -> Int64 {
            var best = Int64.max
            for _ in 0..<3 {
                let start = now()
                memcpy(base, source, count)
                best = min(best, now() - start)
            }
            return best
        }
        return Double(time(start)) <= Double(time(base + count)) * readingLimit
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
