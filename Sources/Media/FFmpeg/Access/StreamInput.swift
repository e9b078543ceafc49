// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets
import PlayheadTime

/// A data source in the form that FFmpeg reads: a buffered stream with a position.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the input retains the source, and frees FFmpeg's context on deallocation. The
///   `AssetResourceLoader` must outlive the input.
/// - Corresponds to: `AVIOContext` of `avio_alloc_context`.
final class StreamInput {
    private(set) var pointer: UnsafeMutablePointer<AVIOContext>?
    /// The error that ended reading, other than the end of the data.
    private(set) var failure: MediaError?

    /// The first bytes of the source, once they have been read. They are used to detect the type of
    /// a file that FFmpeg cannot open.
    private(set) var beginning: [UInt8] = []

    /// The watch of the file; nil if the file is read up to its current end.
    private var growth: FileGrowth?
    /// A Boolean value that indicates whether a wait for the growth of the file has no timeout.
    private var isPatient = false

    private let source: any MediaDataSource
    private let interrupt: Interrupt
    private let transfer: TransferMonitor
    private var position: Int64
    /// The number of bytes that were read, and the time for which reading waited, in nanoseconds.
    private(set) var byteCount: Int64 = 0
    private(set) var waited: Int64 = 0
    /// The end of the data, if only a part of the source is read.
    private let end: Int64?

    /// The size of the buffer, in bytes. It is twice the 32 KiB of FFmpeg's own buffer for files,
    /// which halves the number of calls.
    private static let bufferSize: Int32 = 1 << 16
    /// The number of bytes in `beginning`, which is enough for a file type box with all its brands.
    private static let beginningSize = 128

    /// Creates an input.
    ///
    /// - Parameters:
    ///   - start: The offset at which reading begins.
    ///   - end: The offset at which reading ends; nil for the end of the source.
    init(
        _ source: any MediaDataSource, interrupt: Interrupt, transfer: TransferMonitor,
        from start: Int64 = 0, to end: Int64? = nil
    ) throws(MediaError) {
        self.source = source
        self.interrupt = interrupt
        self.transfer = transfer
        self.end = end
        position = start
        guard let buffer = av_malloc(Int(Self.bufferSize)) else {
            throw FFmpegError.outOfMemory.whileReading("", interrupt: interrupt)
        }
        pointer = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { StreamInput.of($0).read(into: $1, count: $2) }, nil,
            { StreamInput.of($0).seek(to: $1, whence: $2) })
        guard let pointer else {
            av_free(buffer)
            throw FFmpegError.outOfMemory.whileReading("", interrupt: interrupt)
        }
        pointer.pointee.seekable = source.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        guard let pointer else { return }
        av_free(pointer.pointee.buffer)
        avio_context_free(&self.pointer)
    }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> StreamInput {
        Unmanaged<StreamInput>.fromOpaque(opaque!).takeUnretainedValue()
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>?, count: Int32) -> Int32 {
        // Offsets come from the file, and can be as large as the maximum position.
        let wanted = min(Int64(count), (end ?? .max) - position)
        guard let buffer, wanted > 0 else { return FFmpegError.endOfFile.rawValue }
        // FFmpeg may read for a long time without returning a packet, and a source that does not
        // wait does not check whether it was cancelled.
        guard !interrupt.isCancelled else { return FFmpegError.interrupted.rawValue }
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: Int(wanted))
        let start = HostClock.nanoseconds
        defer { waited += HostClock.nanoseconds - start }
        do throws(MediaError) {
            let read = try transfer.wait(byteCount: { $0 }) { () throws(MediaError) -> Int in
                while true {
                    let count = try source.read(
                        into: room, at: position, isCancelled: { interrupt.isTriggered })
                    guard count == 0, try hasGrown() else { return count }
                }
            }
            failure = nil
            if position == 0, beginning.isEmpty {
                beginning = Array(room.prefix(min(read, Self.beginningSize)))
            }
            position += Int64(read)
            byteCount += Int64(read)
            return read > 0 ? Int32(read) : FFmpegError.endOfFile.rawValue
        } catch {
            failure = interrupt.explaining(error)
            return interrupt.isTriggered ? FFmpegError.interrupted.rawValue : ph_AVERROR(EIO)
        }
    }

    /// Lets reads wait at the end of a file that is being written. Until `finishOpening`, they wait
    /// until the timeout.
    func waitForGrowth(of file: FileDescriptorDataSource) {
        growth = FileGrowth(file)
        // Detection of the format may have reached the end.
        pointer?.pointee.eof_reached = 0
    }

    /// Calls a function whose reads do not wait at the end of a file that is being written.
    func withoutWaiting<Result>(_ body: () -> Result) -> Result {
        guard let growth else { return body() }
        self.growth = nil
        defer {
            self.growth = growth
            pointer?.pointee.eof_reached = 0
        }
        return body()
    }

    /// Ends the restrictions that apply while a container is opened.
    func finishOpening() {
        isPatient = true
        pointer?.pointee.seekable = source.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    /// Waits until a file that is being written has more bytes. Returns false at its end.
    private func hasGrown() throws(MediaError) -> Bool {
        guard let growth else { return false }
        return try growth.waitForData(at: position) {
            if isPatient { interrupt.prolong() }
            return interrupt.isTriggered
        }
    }

    private func seek(to offset: Int64, whence: Int32) -> Int64 {
        let size = end ?? source.byteCount
        let target: Int64?
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return size ?? Int64(ph_AVERROR(ENOSYS))
        case SEEK_SET: target = offset
        case SEEK_CUR: target = position.addingWithoutOverflow(offset)
        case SEEK_END: target = size?.addingWithoutOverflow(offset)
        default: target = nil
        }
        guard let target, target >= 0 else { return Int64(ph_AVERROR(EINVAL)) }
        guard source.isSeekable || target == position else { return Int64(ph_AVERROR(EPIPE)) }
        position = target
        return target
    }
}

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64? {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? nil : sum
    }
}
