// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead devices`: lists audio devices.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the audio devices for --audio-device.")

    func run() throws {
        do throws(AudioError) {
            let devices = try PulseAudioDevice.all()
            guard !devices.isEmpty else {
                throw AudioError(
                    .noDevice, subject: "PulseAudio", cause: "no audio device")
            }
            for device in devices {
                Console.print("\(device.name)\(device.isDefault ? " (default)" : "")")
                Console.print(
                    "    \(device.title), \(device.sampleRate) Hz, \(device.channelCount) channels")
            }
        } catch {
            throw ToolError(.mediaFailure, "\(error)")
        }
    }
}
