// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadFFmpeg

extension DataAsset {
    /// An asset in bytes of the caller's own, read by FFmpeg. Does no work and cannot fail.
    ///
    ///     let asset = DataAsset(MemoryDataSource(bytes), name: "intro.mp4")
    ///
    /// - Parameters:
    ///   - name: what people and errors call it.
    ///   - options: what it may ask for. It may lead nowhere, so its rules are of no use.
    public convenience init(
        _ source: any MediaDataSource, name: String = "data",
        options: AssetOptions = AssetOptions()
    ) {
        self.init(
            name: name, opener: FFmpegOpener(.data(source, name: name), options: options))
    }

    /// An asset in memory, copied from an array.
    public convenience init(
        _ bytes: [UInt8], name: String = "data", options: AssetOptions = AssetOptions()
    ) {
        self.init(MemoryDataSource(bytes), name: name, options: options)
    }

    /// An asset behind a file descriptor, of which a duplicate is taken.
    ///
    /// - Throws: when the descriptor is not open.
    public convenience init(
        fileDescriptor: Int32, name: String? = nil, options: AssetOptions = AssetOptions()
    ) throws(MediaError) {
        let source = try FileDescriptorDataSource(fileDescriptor, subject: name)
        self.init(source, name: name ?? "file descriptor \(fileDescriptor)", options: options)
    }
}
