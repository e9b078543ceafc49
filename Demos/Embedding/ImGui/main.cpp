// SPDX-License-Identifier: Apache-2.0

// A host with Dear ImGui over the video: a panel with a button and a slider, drawn by ImGui's own
// OpenGL 3 backend after playhead_render, in the same framebuffer.
//
//     host FILE [--effect NAME] [--headless --frames N -o OUT.png]
//
// q quits. Without a window, the host advances the time by a thirtieth of a second for each frame,
// and writes the last frame to a file, with the panel in its corner.

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <imgui.h>
#include <playhead.h>
#include <string>

#include "headless.h"

namespace {

// Ends the program with the library's error if a call has failed.
void must(playhead_status status) {
    if (status >= 0) return;
    std::fprintf(stderr, "%s: %s\n", playhead_status_name(status), playhead_last_error());
    std::exit(1);
}

// Returns a zeroed structure with its size set.
template <typename Structure> Structure sized() {
    Structure structure = Structure();
    structure.struct_size = sizeof structure;
    return structure;
}

// The position and size of the panel, in pixels from the top left corner.
const float panel_x = 16, panel_y = 16, panel_width = 240, panel_height = 96;

void show_panel(playhead_player *player) {
    playhead_state state = sized<playhead_state>();
    must(playhead_get_state(player, &state));
    ImGui::SetNextWindowPos(ImVec2(panel_x, panel_y));
    ImGui::SetNextWindowSize(ImVec2(panel_width, panel_height));
    ImGui::Begin("Film", nullptr, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
    bool is_paused = state.transport == PLAYHEAD_PAUSED;
    if (ImGui::Button(is_paused ? "Play" : "Pause"))
        must(is_paused ? playhead_play(player) : playhead_pause(player));
    float position = static_cast<float>(state.position) / 1e9f;
    float duration = static_cast<float>(state.duration) / 1e9f;
    // During a drag, only keyframes are fast enough to follow the slider.
    if (ImGui::SliderFloat("s", &position, 0, duration > 0 ? duration : 0, "%.2f"))
        must(playhead_seek(
            player, static_cast<int64_t>(static_cast<double>(position) * 1e9),
            PLAYHEAD_SEEK_KEYFRAME));
    ImGui::End();
}

// Draws the video, and the panel over it. Neither depends on the OpenGL state that the other leaves.
void draw(playhead_player *player, unsigned framebuffer, int width, int height) {
    playhead_target target = sized<playhead_target>();
    target.framebuffer = framebuffer;
    target.framebuffer_width = width;
    target.framebuffer_height = height;
    target.background[3] = 1;
    must(playhead_render(player, &target, nullptr));
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    show_panel(player);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void run_headless(playhead_player *player, int frames, const char *output) {
    const int width = 640, height = 360;
    // It stays bound, since ImGui draws into the bound framebuffer.
    unsigned framebuffer = headless_make_framebuffer(width, height);
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2(width, height);
    io.DeltaTime = 1.0f / 30;
    for (int frame = 0; frame < frames; frame++) {
        if (frame > 0) must(playhead_tick(player, 1000000000 / 30));
        // A game draws the available frame; a program that writes files waits for every frame.
        must(playhead_wait_for_frame(player, 30000000000, nullptr));
        draw(player, framebuffer, width, height);
    }
    if (!headless_write_png(framebuffer, width, height, output)) std::exit(1);
}

// Returns the exit status: 2 if the video failed.
int run_in_window(playhead_player *player, GLFWwindow *window) {
    int status = 0;
    must(playhead_set_loop(player, -1, 0, PLAYHEAD_NO_TIME));
    glfwSwapInterval(1);
    while (!glfwWindowShouldClose(window)) {
        glfwPollEvents();
        if (glfwGetKey(window, GLFW_KEY_Q) == GLFW_PRESS) glfwSetWindowShouldClose(window, 1);
        playhead_event event = sized<playhead_event>();
        while (playhead_next_event(player, &event) == PLAYHEAD_OK) {
            if (event.type != PLAYHEAD_EVENT_ERROR) continue;
            std::fprintf(stderr, "%s\n", event.text);
            status = 2;
            glfwSetWindowShouldClose(window, 1);
        }
        int width = 0, height = 0;
        glfwGetFramebufferSize(window, &width, &height);
        ImGui_ImplGlfw_NewFrame();
        if (width > 0 && height > 0) draw(player, 0, width, height);
        glfwSwapBuffers(window);
    }
    return status;
}

GLFWwindow *open_window(const char *title) {
    if (!glfwInit()) return nullptr;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    GLFWwindow *window = glfwCreateWindow(960, 540, title, nullptr, nullptr);
    if (window) glfwMakeContextCurrent(window);
    return window;
}

}  // namespace

int main(int count, char **arguments) {
    std::string film, effect, output = "out.png";
    int frames = 30;
    bool is_headless = false;
    for (int index = 1; index < count; index++) {
        std::string argument = arguments[index];
        bool has_more = index + 1 < count;
        if (argument == "--headless") is_headless = true;
        else if (has_more && argument == "--frames") frames = std::atoi(arguments[++index]);
        else if (has_more && argument == "--effect") effect = arguments[++index];
        else if (has_more && argument == "-o") output = arguments[++index];
        else film = argument;
    }
    GLFWwindow *window = nullptr;
    if (is_headless) {
        if (!headless_make_context()) return std::fprintf(stderr, "no OpenGL\n"), 3;
    } else {
        window = open_window(film.c_str());
        if (!window) return std::fprintf(stderr, "no window with OpenGL 3.3\n"), 3;
    }
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    if (window) ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330");

    playhead_options options = sized<playhead_options>();
    options.clock_mode = is_headless ? PLAYHEAD_CLOCK_TICK : PLAYHEAD_CLOCK_OWN;
    options.audio_mode = is_headless ? PLAYHEAD_AUDIO_NONE : PLAYHEAD_AUDIO_DEVICE;
    playhead_player *player = nullptr;
    must(playhead_create(&options, &player));
    must(playhead_gl_init(player, nullptr));
    playhead_effect *added = nullptr;
    if (!effect.empty()) must(playhead_effect_add(player, effect.c_str(), &added));
    must(playhead_open(player, film.c_str()));
    must(playhead_play(player));
    int status = 0;
    if (is_headless) run_headless(player, frames, output.c_str());
    else status = run_in_window(player, window);

    must(playhead_gl_deinit(player));
    must(playhead_destroy(player));
    ImGui_ImplOpenGL3_Shutdown();
    if (window) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    if (window) glfwTerminate();
    return status;
}
