// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadCapture
import PlayheadUI

/// `playhead doctor`: reports what this machine supports, what is missing, and how to fix that.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check OpenGL, audio, cameras and codecs of this machine.",
        discussion: "The exit status is 3 if there is neither OpenGL 3.3 nor OpenGL ES 3.0.")

    func run() throws {
        Console.print("playhead \(Version.text)")
        let hasGraphics = reportHeadless()
        MainActor.assumeIsolated { reportDisplay() }
        reportSound()
        reportCameras()
        reportMicrophones()
        reportCodecs()
        reportHardware()
        if !hasGraphics {
            throw ToolError(
                .noGraphics,
                "no OpenGL 3.3 or OpenGL ES 3.0; install a graphics driver; "
                    + Self.command("libgl1-mesa-dri libegl1")
            )
        }
    }

    private func line(_ subject: String, _ text: String) {
        Console.print(subject.padding(toLength: 10, withPad: " ", startingAt: 0) + text)
    }

    /// Returns the command that installs packages.
    private static func command(_ packages: String) -> String {
        "on Debian: apt install \(packages)"
    }

    private func reportHeadless() -> Bool {
        do {
            let context = try HeadlessContext()
            let capabilities = context.capabilities
            line(
                "OpenGL",
                (capabilities.isES ? "ES " : "")
                    + "\(capabilities.version / 10).\(capabilities.version % 10), "
                    + capabilities.renderer
            )
            if capabilities.isSoftware {
                line(
                    "",
                    "software rendering: a GPU with its driver is much faster")
            }
            reportConversion(capabilities)
            reportUploads(in: context)
            return true
        } catch {
            line("OpenGL", "none: \(error)")
            return false
        }
    }

    private func reportConversion(_ capabilities: GLCapabilities) {
        let conversion = PictureConversion.automatic(for: capabilities)
        let isForced = ProcessInfo.processInfo.environment[PictureConversion.variable] != nil
        let who =
            switch conversion {
            case .gpu: "on the GPU"
            case .cpu: "on the CPU"
            }
        line(
            "colour",
            "converted \(who)" + (isForced ? " (set by \(PictureConversion.variable))" : ""))
    }

    private func reportUploads(in context: HeadlessContext) {
        defer { UploadChoiceCache.save() }
        if let forced = PictureUpload.forced {
            line("uploads", "\(forced.rawValue) (set by \(PictureUpload.variable))")
            return
        }
        guard
            let outcome = TextureCache.measureUploads(
                format: .yuv420p, width: 1920, height: 1080, context: context)
        else { return }
        let times = PictureUpload.allCases.compactMap { way in
            outcome.nanoseconds[way].map {
                "\(way.rawValue) \(String(format: "%.2f", Double($0) / 1e6)) ms"
            }
        }
        line(
            "uploads",
            "\(outcome.choice.rawValue); 1920 x 1080 takes " + times.joined(separator: ", "))
    }

    @MainActor private func reportDisplay() {
        do {
            for monitor in try DisplayMonitor.all() {
                let rate = monitor.refreshRate.map { "\($0) Hz" } ?? "rate unknown"
                line(
                    "display",
                    "\(monitor.name), \(monitor.size.width) x \(monitor.size.height), \(rate)"
                )
            }
        } catch {
            line("display", "none: \(error)")
            line("", "windows need a display; virtual: \(Self.command("xvfb")), xvfb-run playhead")
        }
    }

    private func reportSound() {
        do {
            let sink = try PulseAudioSink()
            line(
                "audio",
                "PulseAudio, \(sink.format.sampleRate) Hz, \(sink.format.channelCount) channels")
        } catch {
            line("audio", "none: \(error)")
            line("", "media plays without audio; \(Self.command("pulseaudio"))")
        }
    }

    private func reportCameras() {
        let cameras = CaptureDiscoverySession.cameras.devices
        if cameras.isEmpty { line("camera", "none") }
        for camera in cameras {
            line("camera", "\(camera.localizedName), \(camera.nodePath ?? camera.uniqueID)")
            do throws(CaptureError) {
                _ = try camera.loadFormats()
            } catch {
                line("", "\(error.cause); \(error.remedy)")
            }
            let holders = camera.holders
            if !holders.isEmpty { line("", "also open in \(holders.joined(separator: ", "))") }
        }
    }

    private func reportMicrophones() {
        let microphones = CaptureDiscoverySession.microphones.devices
        if microphones.isEmpty { line("recording", "no microphone") }
        for (index, microphone) in microphones.enumerated() {
            line(index == 0 ? "recording" : "", microphone.localizedName)
        }
    }

    private func reportCodecs() {
        let wanted = [
            "h264", "hevc", "av1", "vp9", "vp8", "mpeg2video", "prores", "mjpeg", "aac", "mp3",
            "opus", "flac", "ac3",
        ]
        let missing = wanted.filter { !FFmpegCodecs.canDecode($0) }
        line("FFmpeg", FFmpegCodecs.versionText)
        line("codecs", wanted.filter { !missing.contains($0) }.joined(separator: " "))
        if !missing.isEmpty {
            line(
                "",
                "missing: \(missing.joined(separator: " ")); install FFmpeg's full build; "
                    + Self.command("libavcodec-extra"))
        }
        line("streams", "udp rtp rtsp" + (FFmpegCodecs.receivesSRT ? " srt" : ""))
        if !FFmpegCodecs.receivesSRT {
            line(
                "",
                "missing: srt; install a build of FFmpeg with libsrt; "
                    + Self.command("libavformat-extra"))
        }
    }

    private func reportHardware() {
        let kinds: [HardwareAcceleration] = [.vaapi, .cuda]
        let refusals = kinds.map { FFmpegCodecs.refusal(of: $0, for: "h264") }
        let found = zip(kinds, refusals).filter { $1 == nil }.map { $0.0.rawValue }
        if found.isEmpty {
            line(
                "hardware",
                "no hardware decoder: \(refusals.compactMap { $0 }.joined(separator: ", "))")
            line("", "for a GPU driver, \(Self.command("va-driver-all"))")
        } else {
            line("hardware", "decodes with --hwaccel \(found.joined(separator: ", "))")
        }
    }
}
